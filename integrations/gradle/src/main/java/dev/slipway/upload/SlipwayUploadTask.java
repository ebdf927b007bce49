package dev.slipway.upload;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/** Uploads one package, each time that it runs. Its action uses only its own properties, as the configuration cache demands. */
public class SlipwayUploadTask extends DefaultTask {
    private final ConfigurableFileCollection packages = getProject().files();
    private final Property<String> server = text();
    private final Property<String> owner = text();
    private final Property<String> page = text();
    private final Property<String> message = text();
    private final Property<String> releaseNotes = text();
    private final Property<Boolean> notify = getProject().getObjects().property(Boolean.class);
    private final Property<String> failOn = text();
    private final Property<String> key = text();
    private final Property<File> report = getProject().getObjects().property(File.class);

    public SlipwayUploadTask() {
        setGroup("publishing");
        setDescription("Uploads a package to a Slipway server.");
        String name = "slipway/" + getName() + ".json";
        report.set(getProject().getLayout().getBuildDirectory().file(name).map(file -> file.getAsFile()));
    }

    private Property<String> text() {
        return getProject().getObjects().property(String.class);
    }

    /** Takes the values of the block, whenever they are set. */
    void use(SlipwayExtension extension) {
        server.set(extension.getServer());
        owner.set(extension.getOwner());
        page.set(extension.getPage());
        message.set(extension.getMessage());
        releaseNotes.set(extension.getReleaseNotes());
        notify.set(extension.getNotify());
        failOn.set(extension.getFailOn());
        key.set(extension.getKey());
    }

    /** A package, or the folder that contains one. */
    @InputFiles
    @PathSensitive(PathSensitivity.NONE)
    public ConfigurableFileCollection getPackages() {
        return packages;
    }

    @Internal
    public Property<String> getServer() {
        return server;
    }

    @Internal
    public Property<String> getOwner() {
        return owner;
    }

    @Internal
    public Property<String> getPage() {
        return page;
    }

    @Internal
    public Property<String> getMessage() {
        return message;
    }

    @Internal
    public Property<String> getReleaseNotes() {
        return releaseNotes;
    }

    @Internal
    public Property<Boolean> getNotify() {
        return notify;
    }

    @Internal
    public Property<String> getFailOn() {
        return failOn;
    }

    @Internal
    public Property<String> getKey() {
        return key;
    }

    /** The answer of the server, for later steps of the job. Not an output, which would make the task up to date. */
    @Internal
    public Property<File> getReport() {
        return report;
    }

    @TaskAction
    public void upload() throws IOException {
        Map<String, String> environment = System.getenv();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("message", message.getOrElse(environment.getOrDefault("SLIPWAY_MESSAGE", "")));
        fields.put("distribution_name", page.getOrElse(environment.getOrDefault("SLIPWAY_PAGE", "")));
        fields.put("release_note", releaseNotes.getOrElse(environment.getOrDefault("SLIPWAY_RELEASE_NOTES", "")));
        fields.put("disable_notify", notify.getOrElse(true) ? "" : "true");
        String conditions = failOn.getOrElse(environment.getOrDefault("SLIPWAY_FAIL_ON", ""));
        SlipwayClient.failures(conditions, null);
        SlipwayClient client = new SlipwayClient(server.getOrNull(), owner.getOrNull(), key.getOrNull(), environment);
        String answer = client.upload(onePackage(environment.get("SLIPWAY_FILE")), fields);
        Path file = report.get().toPath();
        Files.createDirectories(file.getParent());
        Files.writeString(file, answer);
        SlipwayClient.outputs(answer).forEach((name, value) -> {
            if (value != null) getLogger().lifecycle("slipway: {}: {}", name, SlipwayException.inert(value.toString()));
        });
        getLogger().lifecycle("slipway: json: {}", SlipwayException.inert(file.toString()));
        List<String> failures = new ArrayList<>(SlipwayClient.failures(conditions, answer));
        failures.addAll(client.failedChecks(conditions, answer));
        if (!failures.isEmpty()) throw new SlipwayException(String.join("\n", failures));
    }

    private Path onePackage(String otherwise) throws IOException {
        if (packages.isEmpty() && otherwise != null) return Path.of(otherwise);
        List<Path> found = packages.getFiles().stream().map(File::toPath).flatMap(SlipwayUploadTask::inside).collect(Collectors.toList());
        if (found.size() == 1) return found.get(0);
        throw new SlipwayException(found.isEmpty() ? "No package to upload: set file" : "More than one package, set file: " + found);
    }

    private static Stream<Path> inside(Path path) {
        if (!Files.isDirectory(path)) return Stream.of(path);
        File[] files = path.toFile().listFiles((folder, name) -> name.matches(".*\\.(apk|aab|apks)"));
        return files == null ? Stream.of() : Stream.of(files).map(File::toPath);
    }
}
