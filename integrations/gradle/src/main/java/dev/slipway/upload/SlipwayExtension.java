package dev.slipway.upload;

import java.io.File;
import javax.inject.Inject;
import org.gradle.api.Project;
import org.gradle.api.provider.Property;

/** The block {@code slipway { … }}. What is not set comes from the environment, such as SLIPWAY_SERVER. */
public class SlipwayExtension {
    private final Property<String> server;
    private final Property<String> owner;
    private final Property<File> file;
    private final Property<String> page;
    private final Property<String> message;
    private final Property<String> releaseNotes;
    private final Property<Boolean> notify;
    private final Property<String> failOn;
    private final Property<String> key;
    private final Property<String> artifact;

    @Inject
    public SlipwayExtension(Project project) {
        server = project.getObjects().property(String.class);
        owner = project.getObjects().property(String.class);
        file = project.getObjects().property(File.class);
        page = project.getObjects().property(String.class);
        message = project.getObjects().property(String.class);
        releaseNotes = project.getObjects().property(String.class);
        notify = project.getObjects().property(Boolean.class);
        notify.set(!"false".equalsIgnoreCase(System.getenv("SLIPWAY_NOTIFY")));
        failOn = project.getObjects().property(String.class);
        key = project.getObjects().property(String.class);
        artifact = project.getObjects().property(String.class);
        artifact.set("bundle");
    }

    public Property<String> getServer() {
        return server;
    }

    public Property<String> getOwner() {
        return owner;
    }

    /** For the task {@code slipwayUpload}; the tasks of variants take what the variant makes. */
    public Property<File> getFile() {
        return file;
    }

    public Property<String> getPage() {
        return page;
    }

    public Property<String> getMessage() {
        return message;
    }

    public Property<String> getReleaseNotes() {
        return releaseNotes;
    }

    public Property<Boolean> getNotify() {
        return notify;
    }

    public Property<String> getFailOn() {
        return failOn;
    }

    public Property<String> getKey() {
        return key;
    }

    /** What variants upload: {@code bundle} or {@code apk}. */
    public Property<String> getArtifact() {
        return artifact;
    }
}
