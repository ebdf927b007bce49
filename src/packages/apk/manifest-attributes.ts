/** Ids of the platform attributes used in manifests: `android.R.attr`, which never change. */
export const manifestAttributes = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  targetPackage: 0x01010021,
  debuggable: 0x0101000f,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  maxSdkVersion: 0x01010271,
  testOnly: 0x01010272,
  required: 0x0101028e,
  extractNativeLibs: 0x010104ea,
  compileSdkVersion: 0x01010572,
  versionCodeMajor: 0x01010576,
  isSplitRequired: 0x01010591,
} as const;
