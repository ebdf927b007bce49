package dev.slipway.upload;

import com.android.build.api.artifact.SingleArtifact;
import com.android.build.api.variant.ApplicationAndroidComponentsExtension;
import com.android.build.api.variant.ApplicationVariant;
import org.gradle.api.Action;
import org.gradle.api.Project;

/** Registers {@code slipwayUploadRelease} and its kind. The artifact of a variant brings the tasks that make it. */
final class AndroidVariants {
    private AndroidVariants() {
    }

    static void register(Project project, SlipwayExtension extension) {
        ApplicationAndroidComponentsExtension android = project.getExtensions().getByType(ApplicationAndroidComponentsExtension.class);
        Action<ApplicationVariant> onVariant = variant -> {
            String name = variant.getName();
            String task = "slipwayUpload" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
            project.getTasks().register(task, SlipwayUploadTask.class, upload -> {
                upload.use(extension);
                boolean apk = "apk".equals(extension.getArtifact().getOrNull());
                upload.getPackages().from(apk
                    ? variant.getArtifacts().get(SingleArtifact.APK.INSTANCE)
                    : variant.getArtifacts().get(SingleArtifact.BUNDLE.INSTANCE));
            });
        };
        android.onVariants(android.selector().all(), onVariant);
    }
}
