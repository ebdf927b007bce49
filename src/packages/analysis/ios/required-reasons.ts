/**
 * APIs that an app may only use for a reason that it states in `PrivacyInfo.xcprivacy` (Apple, "Describing use of required reason
 * API"). C functions and constants are imported symbols; methods are only known by their selector, which other classes may share.
 */

type ReasonCategory = 'FileTimestamp' | 'SystemBootTime' | 'DiskSpace' | 'ActiveKeyboards' | 'UserDefaults';

/** Without `getattrlist` and its variants: they are listed as file timestamps and as disk space, so that they alone decide nothing. */
const symbols: Readonly<Record<ReasonCategory, readonly string[]>> = {
  FileTimestamp: [
    ...['_NSFileCreationDate', '_NSFileModificationDate', '_NSURLContentModificationDateKey'],
    ...['_NSURLCreationDateKey', '_getattrlistbulk', '_stat', '_fstat', '_fstatat', '_lstat'],
    ...['_stat$INODE64', '_fstat$INODE64', '_fstatat$INODE64', '_lstat$INODE64'],
  ],
  SystemBootTime: ['_mach_absolute_time'],
  DiskSpace: [
    ...['_NSURLVolumeAvailableCapacityKey', '_NSURLVolumeAvailableCapacityForImportantUsageKey'],
    ...['_NSURLVolumeAvailableCapacityForOpportunisticUsageKey', '_NSURLVolumeTotalCapacityKey'],
    ...['_NSFileSystemFreeSize', '_NSFileSystemSize', '_statfs', '_statvfs', '_fstatfs', '_fstatvfs'],
    ...['_statfs$INODE64', '_fstatfs$INODE64'],
  ],
  ActiveKeyboards: [],
  UserDefaults: ['_OBJC_CLASS_$_NSUserDefaults'],
};

const selectors: Readonly<Record<ReasonCategory, readonly string[]>> = {
  FileTimestamp: ['fileModificationDate'],
  SystemBootTime: ['systemUptime'],
  DiskSpace: [],
  ActiveKeyboards: ['activeInputModes'],
  UserDefaults: [],
};

const categoryOf = (names: Readonly<Record<ReasonCategory, readonly string[]>>) =>
  new Map(
    (Object.keys(names) as ReasonCategory[]).flatMap((category) =>
      names[category].map((name): [string, ReasonCategory] => [name, category]),
    ),
  );

/** The category of an imported symbol, by its name in the symbol table. */
export const categoryOfSymbol: ReadonlyMap<string, ReasonCategory> = categoryOf(symbols);
export const categoryOfSelector: ReadonlyMap<string, ReasonCategory> = categoryOf(selectors);

/** The name that a developer knows: without the underscore of C and the prefix of classes. */
export function apiName(symbol: string): string {
  return symbol.replace(/^_(?:OBJC_CLASS_\$_)?/, '').replace('$INODE64', '');
}

const categoryOfApi = new Map(
  [...categoryOfSymbol, ...categoryOfSelector].map(([name, category]) => [apiName(name), category] as const),
);

/** The category of an API that the analyzer found, as a privacy manifest names it; null for an unknown one. */
export function requiredReasonCategory(api: string): string | null {
  const category = categoryOfApi.get(api);
  return category === undefined ? null : `NSPrivacyAccessedAPICategory${category}`;
}
