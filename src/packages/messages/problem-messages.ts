/** Reasons why the signature of a package does not verify, as full sentences. */
export const problemMessages = {
  'bundle-unsigned': 'This is an Android App Bundle: the APK that is generated from it will be signed.',

  // Android, all schemes
  'entry-changed': '{name} was changed after signing.',
  'entry-added': '{name} was added after signing.',
  'entry-missing': '{name} is missing, although the signature covers it.',
  'v2-required':
    'The package targets Android API {target} and has only a JAR signature (v1): Android 11 and later require scheme v2 or newer. Sign it again with apksigner.',
  'v3-missing': 'The package has a v3.1 signature without the v3 signature that older platforms need.',
  'verity-not-aligned':
    'The {scheme} signature is for fs-verity, but the APK Signing Block is not aligned to 4096 bytes.',
  'content-changed':
    'The package was changed after it was signed: its content does not match the {scheme} signature.',
  'different-keys': 'The JAR signature (v1) and the v2 signature have different keys.',
  'several-older-signers':
    'The package has a v3 signature with one signer, but older signatures with several.',
  'several-v3-signers': 'The package has several v3 signers but no rotation history that connects them.',
  'other-origin':
    'The v3 signature has a different key from the older signatures, and its rotation history does not start with theirs.',
  'scheme-attribute-damaged': 'The v2 signer {number} has a damaged attribute about other schemes.',
  'v3-removed': 'The package was also signed with scheme v3, and that signature was removed.',
  'signers-overlap': 'The Android versions of the {scheme} signers overlap or leave a gap.',
  'signers-limited': 'The {scheme} signers are only for Android API {first} to {last}.',
  'rotation-attribute-damaged': 'The v3 signer has a damaged rotation attribute.',
  'v31-removed':
    'The package was signed with another key for Android API {sdk} and later, and that v3.1 signature was removed.',
  'rotation-disagrees':
    'The v3 signer states Android API {sdk} for the rotation of its key, but the v3.1 signer starts at {start}.',
  'histories-inconsistent': 'The rotation histories of the {scheme} signers are inconsistent.',
  'signer-unsupported': 'The {scheme} signer {number} has no signature that Android API {sdk} supports.',
  'signer-does-not-verify':
    'The signature of {scheme} signer {number} ({algorithm}) does not verify: sign the package again.',
  'signer-without-certificate': 'The {scheme} signer {number} has no certificate.',
  'signer-of-other-key':
    'The certificate of {scheme} signer {number} does not belong to the key that signed.',
  'signer-certificate-damaged': 'A certificate of {scheme} signer {number} is damaged: {reason}.',
  'signer-algorithm-removed':
    'The {scheme} signer {number} lists different algorithms for digests and signatures: one was removed after signing.',
  'signer-range-invalid': 'The {scheme} signer {number} has an invalid range of Android versions.',
  'signer-range-changed':
    'The range of Android versions of {scheme} signer {number} was changed after signing.',
  'several-histories': 'The {scheme} signer {number} has more than one rotation history.',
  'history-damaged': 'The rotation history of {scheme} signer {number} is damaged: {reason}.',
  'history-unsigned':
    'Certificate {certificate} in the rotation history of {scheme} signer {number} was not signed by the one before it.',
  'history-certificate-twice':
    'The rotation history of {scheme} signer {number} contains a certificate twice.',
  'history-of-other-signer':
    'The rotation history of {scheme} signer {number} does not end with its certificate.',

  'signature-unreadable': 'The signature could not be read: {reason}.',

  // Android, JAR signatures
  'jar-entry-twice': '{name} is in the package twice, which Android rejects.',
  'jar-signature-missing': 'The package has no JAR signature (v1).',
  'jar-signatures-malformed': 'Android accepts none of the JAR signatures: their .SF files are malformed.',
  'jar-signature-does-not-verify': 'The JAR signature {name} does not verify against its .SF file.',
  'jar-signature-unusable': 'The JAR signature {name} cannot be used: {reason}.',
  'jar-signature-unreadable': 'The JAR signature cannot be read: {reason}.',
  'jar-signature-of-nothing': 'The JAR signature covers no file of the package.',
  'jar-file-unreadable': '{name} cannot be read: {reason}.',
  'jar-entry-added': '{name} was added after signing: META-INF/MANIFEST.MF does not list it.',
  'jar-entry-removed': '{name} was removed after signing: META-INF/MANIFEST.MF lists it.',
  'jar-entry-unsigned': '{name} is not signed by any JAR signer.',
  'jar-entry-of-other-signers': '{name} is not signed by the same JAR signers as the files before it.',
  'jar-entry-not-comparable': '{name} cannot be compared with its signature: {reason}.',
  'jar-manifest-without-digest':
    'META-INF/MANIFEST.MF has no digest of {name} that Android API {sdk} supports.',
  'jar-manifest-nameless-section': 'META-INF/MANIFEST.MF has a section without a name.',
  'jar-manifest-section-twice': 'META-INF/MANIFEST.MF lists {name} twice.',
  'jar-manifest-changed': 'The main section of META-INF/MANIFEST.MF was changed after {file} was signed.',
  'jar-manifest-entry-changed':
    'The entry of {name} in META-INF/MANIFEST.MF was changed after {file} was signed.',
  'jar-file-without-digest': '{file} has no digest of {name} that Android API {sdk} supports.',
  'jar-scheme-removed':
    '{file} says that the package is also signed with scheme v{scheme}, but that signature was removed.',

  // iOS
  'app-without-executable': 'The app contains no executable.',
  'app-executable-not-mach-o': 'The executable is not a Mach-O file.',
  'code-not-signed': 'The {cpu} code is not signed.',
  'code-directory-missing': 'The signature of the {cpu} code has no code directory.',
  'code-signature-unreadable': 'The signature of the {cpu} code cannot be read: {reason}.',
  'code-signed-ad-hoc': 'The code is signed ad hoc, without a certificate.',
  'code-hash-unknown': 'A code directory of the {cpu} code uses an unknown hash.',
  'code-not-covered': 'The signature does not cover the whole {cpu} code.',
  'code-directory-not-covered': 'The signature does not cover the {digest} code directory.',
  'code-pages-changed': '{count} of {total} pages of the {cpu} code were changed after signing.',
  'seal-missing': '{name} is not covered by the signature.',
  'signature-invalid': 'The signature {problem}.',
  'signature-attributes-unreadable': 'The attributes of the signature cannot be read: {reason}.',
  'sealed-list-unreadable': 'The list of sealed files cannot be read: {reason}.',
  'sealed-file-not-comparable': '{name} cannot be compared with the signature: {reason}.',
} as const;
