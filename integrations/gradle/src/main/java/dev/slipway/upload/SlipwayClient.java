package dev.slipway.upload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Uploads a file with the HTTP client of Java. Uses neither Gradle nor Android. */
public final class SlipwayClient {
    private static final int ATTEMPTS = 4;
    private static final Duration TIMEOUT = Duration.ofMinutes(30);
    private static final List<String> CHECKS = List.of("size", "store", "security", "dependencies", "permissions", "components");
    private static final Map<String, String> NAMED_CHECKS =
        Map.of("new-permissions", "permissions", "new-exported-components", "components");
    private static final long CHECKS_SECONDS = 300;
    private static final Set<Integer> TRANSIENT = Set.of(429, 502, 503, 504);
    private static final String TOKEN = "[\\w-]+\\.[\\w-]+\\.[\\w-]+";

    private final HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(30)).build();
    private final Map<String, String> environment;
    private final URI server;
    private final String owner;
    private String key;

    /** {@code key}: null or empty for that of the environment, or the ID token of the job. */
    public SlipwayClient(String server, String owner, String key, Map<String, String> environment) {
        this.environment = environment;
        this.server = serverAddress(server == null || server.isBlank() ? first("SLIPWAY_SERVER", "SLIPWAY_URL") : server);
        this.owner = owner == null || owner.isBlank() ? first("SLIPWAY_OWNER") : owner;
        if (this.owner == null || this.owner.matches("\\.*"))
            throw new SlipwayException("owner must be the user or project that the app belongs to, not " + this.owner);
        this.key = givenKey(key);
    }

    /** Returns the text of the answer. The file is never in memory as a whole. */
    public String upload(Path file, Map<String, String> fields) {
        if (!Files.isRegularFile(file)) throw new SlipwayException("No file at " + file);
        if (key == null) key = exchange(idToken());
        String boundary = "slipway" + UUID.randomUUID();
        String path = "api/users/" + URLEncoder.encode(owner, StandardCharsets.UTF_8).replace("+", "%20") + "/apps";
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
            .timeout(TIMEOUT)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
            // Attempts with the same key make one build.
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(form(boundary, file, fields))
            .build();
        HttpResponse<String> answer = repeat(request);
        Map<?, ?> body = Json.object(answer.body());
        if (answer.statusCode() == 200 && Boolean.FALSE.equals(body.get("error")) && body.get("results") instanceof Map)
            return answer.body();
        if (answer.statusCode() / 100 == 3)
            throw new SlipwayException("The server redirects to " + answer.headers().firstValue("Location").orElse("another address") + ": set server to it");
        if (body.get("message") instanceof String message) throw new SlipwayException(message + " (" + answer.statusCode() + ")");
        throw new SlipwayException(origin(server) + " answered " + answer.statusCode() + ", not as a Slipway server");
    }

    /** The outputs of every integration of Slipway but {@code json}, from an answer. */
    public static Map<String, Object> outputs(String answer) {
        Map<?, ?> results = (Map<?, ?>) Json.object(answer).get("results");
        Map<?, ?> page = results.get("distribution") instanceof Map<?, ?> found ? found : Map.of();
        Map<String, Object> outputs = new LinkedHashMap<>();
        outputs.put("build-url", results.get("revision_url"));
        outputs.put("page-url", page.get("url"));
        outputs.put("qr-url", page.get("qr_url"));
        outputs.put("revision", integer(results.get("revision")));
        outputs.put("size", integer(results.get("file_size")));
        outputs.put("size-change", integer(results.get("size_change")));
        return outputs;
    }

    /**
     * Waits until the server has analyzed the uploaded build. Returns a sentence for each check of the conditions that failed and is
     * not accepted, or one that says why they are not known.
     */
    public List<String> failedChecks(String conditions, String answer) {
        List<String> names = conditionsOf(conditions).filter(CHECKS::contains).collect(Collectors.toList());
        if (names.isEmpty()) return List.of();
        Map<?, ?> body;
        try {
            body = analyzedChecks((Map<?, ?>) Json.object(answer).get("results"));
        } catch (SlipwayException error) {
            return List.of("The checks are not known: " + error.getMessage());
        }
        if ("failed".equals(body.get("state"))) return List.of("The package could not be analyzed.");
        return ((List<?>) body.get("checks")).stream()
            .map(check -> (Map<?, ?>) check)
            .filter(check -> "failed".equals(check.get("state")) && isNamed(check, names))
            .map(check -> String.valueOf(check.get("line")))
            .collect(Collectors.toList());
    }

    private static boolean isNamed(Map<?, ?> check, List<String> names) {
        String own = NAMED_CHECKS.getOrDefault(String.valueOf(check.get("id")), "");
        return names.contains(String.valueOf(check.get("category"))) || names.contains(own);
    }

    /** Asks again after 1, 2, 4 … s, at most 30 s. */
    private Map<?, ?> analyzedChecks(Map<?, ?> results) {
        Object platform = String.valueOf(results.get("os_name")).toLowerCase(Locale.ROOT);
        String path = Stream.of("apps", owner, platform, results.get("package_name"), "builds", integer(results.get("revision")), "checks")
            .map(part -> URLEncoder.encode(String.valueOf(part), StandardCharsets.UTF_8).replace("+", "%20"))
            .collect(Collectors.joining("/"));
        HttpRequest request = HttpRequest.newBuilder(server.resolve("api/v1/" + path))
            .timeout(Duration.ofSeconds(60))
            .header("Authorization", "Bearer " + key)
            .header("Accept", "application/json")
            .build();
        long pause = 1;
        for (long waited = 0; ; waited += pause, pause = Math.min(pause * 2, 30)) {
            HttpResponse<String> answer = repeat(request);
            Map<?, ?> body = Json.object(answer.body());
            if (answer.statusCode() != 200 || !(body.get("checks") instanceof List))
                throw new SlipwayException((body.get("detail") instanceof String detail ? detail : origin(server)) + " (" + answer.statusCode() + ")");
            if (!"waiting".equals(body.get("state"))) return body;
            if (waited + pause > CHECKS_SECONDS) throw new SlipwayException("the build was not analyzed after " + CHECKS_SECONDS + " s");
            sleep(pause);
        }
    }

    private static Stream<String> conditionsOf(String list) {
        return list == null ? Stream.of() : Stream.of(list.split(",")).map(String::trim).filter(condition -> !condition.isEmpty());
    }

    /** Returns a sentence for each condition of {@code install,size=5%,size=2MB} that applies, except checks. {@code answer}: null to check the list only. */
    public static List<String> failures(String conditions, String answer) {
        Map<?, ?> results = answer == null ? Map.of() : (Map<?, ?>) Json.object(answer).get("results");
        List<String> failures = new ArrayList<>();
        for (String condition : conditionsOf(conditions).filter(each -> !CHECKS.contains(each)).collect(Collectors.toList())) {
            Matcher size = Pattern.compile("size=(\\d+(?:\\.\\d+)?)\\s*(%|B|KB|MB|GB|KiB|MiB|GiB)").matcher(condition);
            if (condition.equals("install")) {
                if (results.get("install_problems") instanceof List<?> problems)
                    problems.forEach(problem -> failures.add("Nobody can install this build: " + problem));
            } else if (!size.matches()) {
                throw new SlipwayException(
                    "failOn must list install, " + String.join(", ", CHECKS) + ", size=PERCENT%, size=BYTES, such as store,size or install,size=5%, not " + condition);
            } else if (results.get("size_change") instanceof Double change && results.get("file_size") instanceof Double now) {
                double most = Double.parseDouble(size.group(1));
                String unit = size.group(2);
                double limit = unit.equals("%")
                    ? (now - change) * most / 100
                    : most * Math.pow(unit.contains("i") ? 1024 : 1000, "BKMG".indexOf(unit.charAt(0)));
                if (change > limit) failures.add("The build grew by " + change.longValue() + " bytes, more than " + size.group().substring(5) + ".");
            }
        }
        return failures;
    }

    private static Object integer(Object number) {
        return number instanceof Double value ? (Object) value.longValue() : null;
    }

    private static BodyPublisher form(String boundary, Path file, Map<String, String> fields) {
        String head = fields.entrySet().stream()
            .filter(field -> field.getValue() != null && !field.getValue().isEmpty())
            .map(field -> "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + field.getKey() + "\"\r\n\r\n" + field.getValue() + "\r\n")
            .collect(Collectors.joining());
        String name = file.getFileName().toString().replace("\r", "%0D").replace("\n", "%0A").replace("\"", "%22");
        String part = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n";
        try {
            return BodyPublishers.concat(
                BodyPublishers.ofString(head + part), BodyPublishers.ofFile(file), BodyPublishers.ofString("\r\n--" + boundary + "--\r\n"));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** RFC 8693. The key is valid for 15 minutes and may only upload. */
    private String exchange(String token) {
        Map<String, String> form = Map.of(
            "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token", token,
            "subject_token_type", "urn:ietf:params:oauth:token-type:id_token",
            "resource", owner);
        String encoded = form.entrySet().stream()
            .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
        HttpResponse<String> answer = send(HttpRequest.newBuilder(server.resolve("oauth/token"))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Accept", "application/json")
            .POST(BodyPublishers.ofString(encoded))
            .build());
        Map<?, ?> body = Json.object(answer.body());
        if (answer.statusCode() == 200 && body.get("access_token") instanceof String made && made.matches("[\\x21-\\x7e]+")) return made;
        Object reason = body.get("error_description") instanceof String sentence ? sentence : "it may have no trusted publishing";
        throw new SlipwayException(
            origin(server) + " refused the ID token: " + reason.toString().replace(token, "…") + " (" + answer.statusCode() + ")");
    }

    /** Its audience is the origin of the server. */
    private String idToken() {
        String token = first("SLIPWAY_ID_TOKEN", "BITBUCKET_STEP_OIDC_TOKEN", "BITRISE_IDENTITY_TOKEN");
        String url = first("ACTIONS_ID_TOKEN_REQUEST_URL");
        String requestToken = first("ACTIONS_ID_TOKEN_REQUEST_TOKEN");
        if (token == null && url != null && requestToken != null) {
            URI address = URI.create(url + (url.contains("?") ? "&" : "?") + "audience=" + URLEncoder.encode(origin(server), StandardCharsets.UTF_8));
            HttpResponse<String> answer = repeat(
                HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(60)).header("Authorization", "Bearer " + requestToken).build());
            if (!(Json.object(answer.body()).get("value") instanceof String issued))
                throw new SlipwayException("GitHub Actions did not issue an ID token (" + answer.statusCode() + "): give the job the permission \"id-token: write\"");
            token = issued;
        }
        if (token == null) throw new SlipwayException("No key and no ID token: set SLIPWAY_API_KEY, or let the job request ID tokens");
        if (!token.matches(TOKEN)) throw new SlipwayException("The ID token is not a JSON Web Token");
        return token;
    }

    /** A key of the environment belongs to the server of the environment, and is sent to no other. */
    private String givenKey(String given) {
        String fromEnvironment = first("SLIPWAY_KEY", "SLIPWAY_API_KEY");
        String found = given == null || given.isBlank() ? fromEnvironment : given.trim();
        if (found == null) return null;
        String own = first("SLIPWAY_SERVER", "SLIPWAY_URL");
        if (found.equals(fromEnvironment) && own != null && !origin(serverAddress(own)).equals(origin(server)))
            throw new SlipwayException("The key of the environment is for " + origin(serverAddress(own)) + " and is not sent to " + origin(server));
        if (!found.matches("[\\x21-\\x7e]+")) throw new SlipwayException("The API key contains an invalid character");
        return found;
    }

    private String first(String... names) {
        return Stream.of(names).map(environment::get).filter(value -> value != null && !value.isBlank()).map(String::trim).findFirst().orElse(null);
    }

    private static URI serverAddress(String text) {
        try {
            URI uri = new URI(text == null ? "" : text.trim());
            if (uri.getHost() == null || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) throw new URISyntaxException("", "");
            if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null)
                throw new SlipwayException("server must not contain a user name, ? or #; use the key");
            return uri.getPath().endsWith("/") ? uri : new URI(uri.getScheme(), uri.getAuthority(), uri.getPath() + "/", null, null);
        } catch (URISyntaxException error) {
            throw new SlipwayException("server must be an address such as https://apps.example.com, not " + text);
        }
    }

    private static String origin(URI uri) {
        return uri.getScheme() + "://" + uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    }

    /** Repeats what did not reach the server, or what it says to repeat. */
    private HttpResponse<String> repeat(HttpRequest request) {
        for (int attempt = 1; ; attempt++) {
            long waitSeconds = 1L << (attempt - 1);
            try {
                HttpResponse<String> answer = send(request);
                if (!TRANSIENT.contains(answer.statusCode()) || attempt == ATTEMPTS) return answer;
                waitSeconds = answer.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,3}")).map(Long::valueOf).orElse(waitSeconds);
            } catch (SlipwayException error) {
                if (attempt == ATTEMPTS) throw error;
            }
            sleep(Math.min(waitSeconds, 60));
        }
    }

    private static void sleep(long seconds) {
        try {
            Thread.sleep(seconds * 1000);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new SlipwayException("The upload was interrupted");
        }
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException error) {
            throw new SlipwayException(origin(request.uri()) + " cannot be reached: " + error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new SlipwayException("The upload was interrupted");
        }
    }
}
