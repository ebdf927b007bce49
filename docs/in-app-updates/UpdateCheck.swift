// Asks the distribution page of this app for a newer build. iOS 15 or newer, no dependencies.
import UIKit

struct UpdateCheck {
    /// The address of the distribution page, such as https://apps.example.com/distributions/7a9c….
    let page: URL

    struct Answer: Decodable {
        struct Latest: Decodable {
            let version_name: String?
            /// Empty if the page asks for a passcode or to sign in.
            let version_code: String
            let release_note: String
            let mandatory: Bool
        }
        struct Install: Decodable {
            /// Starts the installation, or opens the page if it asks for a passcode or to sign in.
            let url: URL
        }
        let update_available: Bool
        let reason: String
        let latest: Latest
        let install: Install
    }

    /// Nil without an update.
    func find() async throws -> Answer? {
        let info = Bundle.main.infoDictionary ?? [:]
        var address = URLComponents()
        address.scheme = page.scheme
        address.host = page.host
        address.port = page.port
        address.path = "/api/v1/pages/\(page.lastPathComponent)/update"
        address.queryItems = [
            URLQueryItem(name: "platform", value: "ios"),
            URLQueryItem(name: "package", value: Bundle.main.bundleIdentifier),
            URLQueryItem(name: "version_code", value: info["CFBundleVersion"] as? String),
            URLQueryItem(name: "version_name", value: info["CFBundleShortVersionString"] as? String),
            URLQueryItem(name: "os_version", value: await UIDevice.current.systemVersion),
        ]
        guard let url = address.url else { throw URLError(.badURL) }
        let (data, response) = try await URLSession.shared.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        let answer = try JSONDecoder().decode(Answer.self, from: data)
        return answer.update_available ? answer : nil
    }

    /// Offers an update in an alert. Without a network, nothing happens.
    @MainActor
    func offer(from controller: UIViewController) async {
        guard let answer = try? await find() else { return }
        let version = answer.latest.version_name ?? answer.latest.version_code
        let alert = UIAlertController(
            title: version.isEmpty ? "An update is available" : "Version \(version) is available",
            message: answer.latest.release_note,
            preferredStyle: .alert
        )
        if !answer.latest.mandatory {
            alert.addAction(UIAlertAction(title: "Later", style: .cancel))
        }
        alert.addAction(UIAlertAction(title: "Install", style: .default) { _ in
            UIApplication.shared.open(answer.install.url)
        })
        controller.present(alert, animated: true)
    }
}
