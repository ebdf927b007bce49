// Asks the distribution page of this app for a newer build. Flutter on Android and iOS, no dependencies.
import 'dart:convert';
import 'dart:io';

class Update {
  const Update({
    required this.versionName,
    required this.releaseNote,
    required this.installUrl,
    required this.mandatory,
  });

  /// Empty if the page asks for a passcode or to sign in, like the note.
  final String versionName;
  final String releaseNote;

  /// Starts the installation, or opens the page if it asks for a passcode or to sign in.
  final Uri installUrl;

  /// The page requires the update before people continue.
  final bool mandatory;
}

/// Null without an update. [page]: the address of the distribution page, such as https://apps.example.com/distributions/7a9c….
/// [packageName], [versionCode] and [versionName] come from package_info_plus: packageName, buildNumber and version.
/// [osVersion]: API level of Android or version of iOS, from device_info_plus.
/// Throws if the server cannot be reached or the page is closed.
Future<Update?> findUpdate(
  Uri page, {
  required String packageName,
  required String versionCode,
  String? versionName,
  String? osVersion,
}) async {
  final key = page.pathSegments.lastWhere((segment) => segment.isNotEmpty);
  final address = page.replace(path: '/api/v1/pages/$key/update', queryParameters: {
    'platform': Platform.isIOS ? 'ios' : 'android',
    'package': packageName,
    'version_code': versionCode,
    if (versionName != null) 'version_name': versionName,
    if (osVersion != null) 'os_version': osVersion,
  });
  final client = HttpClient()..connectionTimeout = const Duration(seconds: 10);
  try {
    final response = await (await client.getUrl(address)).close();
    if (response.statusCode != 200) throw HttpException('update check: ${response.statusCode}', uri: address);
    final answer = jsonDecode(await response.transform(utf8.decoder).join()) as Map<String, dynamic>;
    if (answer['update_available'] != true) return null;
    final latest = answer['latest'] as Map<String, dynamic>;
    return Update(
      versionName: (latest['version_name'] ?? latest['version_code']) as String,
      releaseNote: latest['release_note'] as String,
      installUrl: Uri.parse((answer['install'] as Map<String, dynamic>)['url'] as String),
      mandatory: latest['mandatory'] as bool,
    );
  } finally {
    client.close();
  }
}

/*
With package_info_plus and url_launcher:

  final info = await PackageInfo.fromPlatform();
  final update = await findUpdate(
    page,
    packageName: info.packageName,
    versionCode: info.buildNumber,
    versionName: info.version,
  );
  if (update != null) await launchUrl(update.installUrl, mode: LaunchMode.externalApplication);
*/
