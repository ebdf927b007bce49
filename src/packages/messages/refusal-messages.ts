/** Reasons why a file is not a readable package, as sentences without a capital letter and full stop. */
export const refusalMessages = {
  // Files of another type
  'file-empty': 'the file is empty',
  'file-truncated': 'the file is truncated',
  'file-of-kind': 'this is {kind}, not an APK or IPA',
  'kind-gzip': 'a gzip archive',
  'kind-bzip2': 'a bzip2 archive',
  'kind-xz': 'an xz archive',
  'kind-zstd': 'a zstd archive',
  'kind-7z': 'a 7z archive',
  'kind-rar': 'a RAR archive',
  'kind-tar': 'a tar archive',
  'kind-debian': 'a Debian package or a static library',
  'kind-macos-installer': 'a macOS installer package',
  'kind-pdf': 'a PDF document',
  'kind-png': 'a PNG picture',
  'kind-jpeg': 'a JPEG picture',
  'kind-gif': 'a GIF picture',
  'kind-dex': 'a DEX file (Android code)',
  'kind-elf': 'an ELF file (native code)',
  'kind-mach-o': 'a Mach-O file (native code)',
  'kind-mach-o-or-java': 'a Mach-O file (native code) or a Java class',
  'kind-windows': 'a Windows program',
  'kind-property-list': 'a property list',
  'kind-android-manifest': 'a compiled Android manifest',
  'kind-resource-table': 'a compiled Android resource table',
  'is-profile': 'this is a provisioning profile, not an IPA',
  'is-property-list': 'this is a property list, not an IPA',
  'is-lfs-pointer': 'this is a Git LFS pointer; the file itself was not fetched',
  'is-html': 'this is an HTML page, such as an error or sign-in page that was saved instead of the package',
  'is-xml': 'this is an XML file, not an APK or IPA',
  'is-json': 'this is a JSON file, such as an error that was saved instead of the package',
  'is-text': 'this is a text file, not an APK or IPA',
  'is-unknown': 'this is neither an APK nor an IPA',

  // Archives of another type
  'zip-empty': 'the zip archive is empty',
  'zip-aab': 'this is an Android App Bundle (AAB), not an APK',
  'not-bundle': 'this is not an Android App Bundle (AAB)',
  'bundle-damaged': 'the Android App Bundle is damaged',
  'bundle-without-app':
    'the Android App Bundle contains no app: it is of another type, such as one for APEX modules',
  'bundle-path': 'the Android App Bundle contains a file with an impossible path: {name}',
  'bundle-path-too-long':
    'the Android App Bundle contains a path with more than {letters} characters or {folders} folders: {name}',
  'bundle-globs-too-long': 'BundleConfig.pb has more than {count} characters of patterns (uncompressed_glob)',
  'bundle-glob-invalid': 'BundleConfig.pb has a pattern that is not valid: {pattern}',
  'bundle-default-assets-missing':
    'the module {name} has no assets for {key} “{value}”, which a universal APK would contain: add them, or change the default_suffix in BundleConfig.pb',
  'bundle-fusing-missing':
    'the manifest of module {name} does not say whether it belongs in a universal APK: dist:fusing is missing',
  'bundle-manifests-differ': 'the manifests of the modules contradict each other: {name} in {element}',
  'bundle-package-twice': 'two modules of the Android App Bundle have resources of the same package',
  'bundle-only-64-bit':
    'the Android App Bundle has 32-bit RenderScript code (.bc), but only 64-bit libraries',
  'bundle-too-large': 'the APK of the Android App Bundle would have more than 4 GB or 65,535 files',
  'bundle-over-limit': 'the APK of the Android App Bundle is larger than permitted',
  'bundle-over-quota':
    'the APK of the Android App Bundle does not fit into the storage quota: it needs about {size}, but only {left} are left',
  'bundle-not-converted': 'the server could not convert the Android App Bundle to an APK within a day',
  'bundle-key-lost':
    'the key that signs the APK is lost, because the secret of the server was replaced: rotate the key or import it again, and upload the Android App Bundle again',
  'bundle-after-failures':
    'too many other app bundles of the same owner failed, so the server did not get to this one within a day',
  'bundle-facts-differ': 'the APK of the Android App Bundle is not the app that the bundle describes',
  'bundle-value-twice': 'the resource {name} of the Android App Bundle has two values for the same devices',
  'bundle-field-unknown':
    'the Android App Bundle was made by newer build tools than this server knows: it has field {number} of {message}',
  'bundle-table-too-large':
    'the resource table of the APK would have more than {mebibytes} MiB, or values for more than {pairs} pairs of resource type and configuration',
  'bundle-resource-missing': 'the Android App Bundle does not contain its resource {name}',
  'keystore-too-large': 'a keystore can have at most {bytes} bytes',
  'keystore-empty': 'the keystore contains no key',
  'keystore-alias-missing': 'the keystore has no key {alias}, but {names}',
  'keystore-several-keys': 'the keystore has several keys: choose one of {names}',
  'keystore-unusable-key': 'the key cannot sign APKs, or its certificate is damaged',
  'keystore-wrong-password': 'the password of the keystore is wrong',
  'keystore-wrong-key-password': 'the password of the key is wrong',
  'keystore-too-slow':
    'the keystore derives its keys with more than {count} iterations: export the key with fewer, such as 10,000',
  'keystore-algorithm-unknown': 'the keystore uses an algorithm that cannot be read: {name}',
  'keystore-other-file': 'the file is neither a PKCS #12 nor a JKS keystore',
  'keystore-without-certificate': 'the keystore has no certificate for the key',
  'keystore-damaged': 'the keystore is damaged',
  'zip-apks':
    'this is a set of APKs made by bundletool (APKS) without universal.apk; build it with --mode=universal, or upload the app bundle (AAB)',
  'zip-apks-compressed':
    'the universal.apk of this set of APKs (APKS) is compressed; upload the universal.apk itself',
  'zip-apkm':
    'this is an APKM (an APK with its splits), not an APK; upload a single APK that contains everything',
  'zip-xapk':
    'this is an XAPK (an APK with its splits or data), not an APK; upload a single APK that contains everything',
  'zip-xcarchive': 'this is an Xcode archive (xcarchive), not an IPA',
  'zip-backslashes':
    'the zip archive separates folders by backslashes instead of slashes, so devices find no app in it; pack it with another tool',
  'zip-manifest-other-name':
    'the manifest is named {name} in the archive, but Android looks for exactly AndroidManifest.xml',
  'zip-payload-other-name':
    'the app is named {name} in the archive, but iOS looks for Payload/….app in exactly this case',
  'zip-payload-not-at-top': 'the Payload directory is not at the top of the archive, so this is not an IPA',
  'zip-app-folder': 'this is a zipped .app directory, such as a simulator build, not an IPA',
  'zip-payload-empty': 'this is an IPA without an app in its Payload directory',
  'zip-dsym': 'this is a zip archive of debug symbols (dSYM), not an app',
  'zip-xcframework': 'this is a zipped xcframework, not an app',
  'zip-split-apks': 'this is a set of split APKs, not an APK; upload a single APK that contains everything',
  'zip-office': 'this is an office document, not an app',
  'zip-manifest-not-at-top':
    'the AndroidManifest.xml is not at the top of the archive, so this is not an APK',
  'zip-profile': 'this is a zip archive with a provisioning profile but without an app',
  'zip-jar': 'this is a Java archive (JAR), not an APK',
  'zip-without-app': 'this is a zip archive without an Android or iOS app',
  'zip-with-package': 'this is a zip archive that contains {name}; upload that file itself',

  // Damaged archives
  'archive-damaged': 'the zip archive is damaged: {what}',
  'archive-truncated': 'the zip archive is truncated: it has no end record',
  'archive-split': 'this is one part of a zip archive that was split over several disks',
  'archive-directory-too-large': 'the directory of the zip archive is too large',
  'archive-too-many-entries': 'the zip archive has more than {count} entries',
  'archive-inflates-too-much': 'the zip archive inflates to too much data',
  'archive-name-too-long': 'the zip archive has a file name that is too long',
  'archive-other-bytes-first': 'other bytes precede the zip archive, which Android rejects',
  'archive-hidden-entries': 'the zip archive has more entries than it states, which Android does not see',
  'archive-file-twice': 'the zip archive contains {name} twice',
  'archive-entry-too-large': '{name} in the archive is too large',
  'archive-entry-unreadable': '{name} in the archive {what}',

  // Android
  'manifest-missing': 'the archive has no AndroidManifest.xml',
  'manifest-plain-text':
    'the AndroidManifest.xml is plain text: this is source code or a library, not an APK',
  'manifest-damaged': 'the AndroidManifest.xml is damaged',
  'manifest-in-proto-format':
    'this APK is in the protocol buffer format of app bundles, which Android does not read; convert it with aapt2 convert --output-format binary',
  'manifest-without-element': 'the AndroidManifest.xml has no manifest element',
  'manifest-without-name': 'the AndroidManifest.xml states no package name',
  'manifest-name-invalid': 'the AndroidManifest.xml states a package name that Android does not allow',
  'manifest-too-deep': 'the compiled XML is nested too deep',
  'apk-split': 'this is the split {name} of an app, not a whole APK',
  'compiled-resources-damaged': 'the compiled resources are damaged',

  // iOS
  'ipa-several-apps': 'the IPA contains {count} apps in Payload',
  'ipa-payload-inside': 'the Payload folder is inside the folder {name}',
  'ipa-app-outside': '{name} is not inside a Payload folder, so this is not an IPA',
  'ipa-payload-without-app': 'the Payload folder contains no .app folder',
  'ipa-without-payload': 'the archive contains no Payload folder',
  'ipa-file-twice': 'the archive contains {name} twice',
  'ipa-path': 'the archive contains the path {name}, which leads out of it',
  'ipa-same-file': 'the archive contains {name} and {other}, which are the same file on Apple devices',
  'info-plist-missing': '{name} contains no Info.plist',
  'info-plist-without-identifier': 'Info.plist states no CFBundleIdentifier',
  'info-plist-identifier-invalid': 'the CFBundleIdentifier of Info.plist is not a bundle identifier',
  'info-plist-version-too-long': 'the {key} of Info.plist is longer than {count} characters',
  'property-list-not-dictionary': '{name} is not a dictionary',
  'property-list-empty': '{name} is empty',
  'property-list-too-large': '{name} is larger than {bytes} bytes',
  'property-list-unreadable': '{name} is not a readable property list: {reason}',
  'profile-empty': 'the provisioning profile is empty',
  'profile-too-large': 'the provisioning profile is larger than {bytes} bytes',
  'profile-not-dictionary': 'the provisioning profile is not a dictionary',
  'profile-unreadable': 'the provisioning profile is not readable: {reason}',
  'executable-too-large': 'the executable is larger than {bytes} bytes',
  'executable-inflates-too-much': 'the executable inflates to {ratio} times its size',
  'simulator-zip-for-devices': '{name} is not built for the iOS simulator',
  'simulator-zip-several-apps': 'the simulator zip contains {count} apps',
  'simulator-zip-without-app': 'the simulator zip contains no .app folder',

  // Limits of the reader
  'identifier-damaged': 'the identifier of the app is damaged',
  'too-slow-to-read': 'it takes too long to read',
  'too-much-memory': 'it needs too much memory to read',
  'analysis-too-large': 'its analysis is too large',
  'reader-crashed': 'it crashes the package reader process',
  'too-much-metadata': 'it contains too much metadata',
} as const;
