/** Warnings about a package that was accepted, as full sentences. */
export const warningMessages = {
  // Android
  'zip-entry-twice': 'The zip archive contains {name} twice. Android does not install it.',
  'zip-entry-name':
    'The zip archive contains the file name {name}, which is not UTF-8 or contains a NUL character. Android does not install it.',
  'resources-compressed':
    'The resources.arsc is compressed. Android 11 and newer do not install such a package when its target SDK is {target} or more.',
  'resources-not-aligned':
    'The resources.arsc is not aligned to {bytes} bytes, which zipalign would do. Android 11 and newer do not install such a package when its target SDK is {target} or more.',
  'resources-damaged':
    'The resources.arsc is damaged: label and icon cannot be read. Android does not install it.',
  'native-code-32-bit':
    'The native code is 32-bit only ({abis}). Phones that run only 64-bit code, such as the Pixel 7 and newer, do not install it.',
  'native-code-not-for-phones':
    'The native code does not support phone CPUs ({abis}). Phones do not install it.',
  'library-compressed':
    '{name} is compressed, although the manifest says extractNativeLibs="false". Android does not install it.',
  'library-not-aligned':
    '{name} is not aligned to {bytes} bytes, although the manifest says extractNativeLibs="false". Android does not install it.',
  'test-only':
    'The package is marked as testOnly. It can only be installed from a computer, with adb install -t.',
  'tests-of-app': 'The package contains tests of {name} and cannot be used without that app.',
  'splits-required': 'The package requires its split packages. Android does not install it alone.',
  'several-applications': 'The manifest has more than one application element. Android uses the first.',
  'several-uses-sdks': 'The manifest has more than one uses-sdk element. Android uses the last.',
  'no-application': 'The manifest has no application element. Android does not install it.',
  'target-too-old': 'The target SDK is below {target}. Android {release} and newer do not install it.',
  'preview-required':
    'The package needs a preview of Android ({codename}). Phones with a released version do not install it.',
  'system-user':
    'The package shares the system user {user}. Only devices whose manufacturer signed it install it.',
  'not-signed': 'The package is not signed. Android does not install unsigned packages.',
  'scheme-damaged': 'The {scheme} signature is damaged: {reason}.',
  'rotation-history-damaged': 'The {scheme} signature has a damaged rotation history: {reason}.',
  'jar-signature-damaged': 'The JAR signature {name} is damaged: {reason}.',
  'too-many-jar-signers': 'The package has more than {count} JAR signers.',
  'signing-block-ignored':
    'The APK Signing Block cannot be used. Android ignores it because the central directory does not end at the end record.',
  'signing-block-impossible-size': 'The APK Signing Block cannot be used. It states an impossible size.',
  'signing-block-two-sizes': 'The APK Signing Block cannot be used. It states two different sizes.',
  'signing-block-too-large':
    'The APK Signing Block cannot be used. It is larger than {bytes} bytes, which no signing tool writes.',
  'signing-block-too-many-values': 'The APK Signing Block has more than {count} values.',
  'signing-block-value-truncated': 'Value {number} of the APK Signing Block is truncated.',
  'code-not-merged':
    'Several modules contain code, which is not merged into one file. Android 4 does not find all of it.',
  'only-32-bit':
    'The bundle contains 32-bit RenderScript code, so its 64-bit libraries are left out. Devices without 32-bit support cannot run it.',
  'embedded-apk-unsigned':
    'The APK contains {name} for watches, which is the unchanged file of the bundle. Without the signature of the app, watches with Wear OS 1 do not install it.',
  'locale-config-missing':
    'The bundle asks for a list of its languages for the settings of Android; the APK has none.',
  'bundle-settings-ignored': 'BundleConfig.pb has settings that the APK does not follow: {names}.',
  'runtime-sdks-missing': 'The app uses SDKs that Android loads at runtime; the APK does not contain them.',
  'names-not-collapsed': 'The bundle asks for shortened resource names; the APK keeps the names.',

  // iOS
  simulator: 'The app is built for the iOS simulator, so it cannot be installed on a device.',
  encrypted: 'The executable is encrypted by the App Store, so it runs only on devices of the buyer.',
  'no-profile': 'The app contains no provisioning profile, so it cannot be installed on a device.',
  'executable-32-bit': 'The executable has only 32-bit code, which iOS 11 and later do not run.',
  'files-unreadable': 'These files of the app cannot be read: {names}.',
  'files-unreadable-and-more': 'These files of the app cannot be read: {names} and {count} more.',
  'profile-changed': 'The provisioning profile was changed after it was signed, so devices reject the app.',
  'profile-of-app-store': 'The app is signed for the App Store, so it cannot be installed from Slipway.',
  'profile-of-other-app': 'The provisioning profile is for {identifier}, which does not cover {app}.',
  'certificate-not-in-profile':
    'The executable is signed with a certificate that the provisioning profile does not list.',
  'executable-missing': 'The app contains no executable, so it cannot be installed.',
  'executable-not-mach-o': 'The executable is not a Mach-O file, so the app cannot be installed.',
  'executable-malformed': 'The executable is malformed: {reason}.',
  'executable-not-signed': 'The executable is not signed, so the app cannot be installed on a device.',
  'executable-signed-ad-hoc':
    'The executable is signed ad hoc, without a certificate, so the app cannot be installed on a device.',
  'executable-signature-unreadable': 'The signature of the executable cannot be read: {reason}.',

  // About other parts of the upload.
  'text-cut': '{field} was longer than {bytes} bytes and was cut.',
  'simulator-zip-ignored': 'ios_simulator_zip was ignored because the upload has no IPA.',
  'simulator-zip-of-other-app': 'ios_simulator_zip contains {found}, but the uploaded package is {expected}.',
} as const;
