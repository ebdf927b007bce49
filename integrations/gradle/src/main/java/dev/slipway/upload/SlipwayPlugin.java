package dev.slipway.upload;

import org.gradle.api.Plugin;
import org.gradle.api.Project;

/** {@code id("dev.slipway.upload")}: the block {@code slipway}, the task {@code slipwayUpload}, and one for each variant of an Android app. */
public class SlipwayPlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
        SlipwayExtension extension = project.getExtensions().create("slipway", SlipwayExtension.class, project);
        SlipwayUploadTask task = project.getTasks().create("slipwayUpload", SlipwayUploadTask.class);
        task.use(extension);
        task.getPackages().from((java.util.concurrent.Callable<Object>) () ->
            extension.getFile().isPresent() ? extension.getFile().get() : java.util.List.of());
        // A class of its own, so that projects without Android need none of its classes.
        project.getPluginManager().withPlugin("com.android.application", plugin -> AndroidVariants.register(project, extension));
    }
}
