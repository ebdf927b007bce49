/**
 * What the cloud and a new device receive of the data of an app, on Android 12 and later.
 * Source: developer.android.com, "Back up user data with Auto Backup".
 */
import { maxNameLength } from '../../apk/android-manifest.ts';
import { plainAttribute, type XmlElement } from '../../apk/binary-xml.ts';
import { booleanOf, type TypedValue, textOf } from '../../apk/typed-value.ts';
import type { AndroidAnalysis } from '../analysis.ts';

export type BackupScope = NonNullable<AndroidAnalysis['backup']>['cloud'];

/** Real files have a few rules. */
export const maxBackupRules = 500;
/** From this target on, `allowBackup` and `fullBackupContent` no longer apply to transfers between devices. */
const firstSdkWithTransferRules = 31;

export interface BackupAttributes {
  allowBackup: boolean | null;
  /** The files, or what `fullBackupContent` states instead of one. */
  fullBackupContent: XmlElement | boolean | null;
  dataExtractionRules: XmlElement | null;
  targetSdk: number | null;
}

const nothing: BackupScope = { allowed: false, includes: [], excludes: [], needsEncryption: false };
const everything: BackupScope = { ...nothing, allowed: true };

/** A section that the rules for Android 12 do not have leaves out nothing. */
export function readBackup(stated: BackupAttributes): NonNullable<AndroidAnalysis['backup']> {
  const { dataExtractionRules: rules, fullBackupContent, targetSdk } = stated;
  const section = (name: string) => {
    const found = rules?.children.find((child) => child.name === name);
    return found ? scopeOf(found) : everything;
  };
  const isAllowed = stated.allowBackup ?? true;
  const legacy = !isAllowed || fullBackupContent === false ? nothing : legacyScope(fullBackupContent);
  const cloud = rules && isAllowed ? section('cloud-backup') : legacy;
  if (rules) return { cloud, transfer: section('device-transfer') };
  return { cloud, transfer: (targetSdk ?? 1) < firstSdkWithTransferRules ? legacy : everything };
}

const legacyScope = (content: XmlElement | true | null) =>
  content === null || content === true ? everything : scopeOf(content);

function scopeOf(element: XmlElement): BackupScope {
  const rules = (name: string) =>
    element.children
      .filter((child) => child.name === name)
      .slice(0, maxBackupRules)
      .map((rule) => `${stated(rule, 'domain')} ${stated(rule, 'path') || '.'}`);
  const encryption = plainAttribute(element, 'disableIfNoEncryptionCapabilities');
  return {
    allowed: true,
    includes: rules('include'),
    excludes: rules('exclude'),
    needsEncryption: encryption !== null && booleanOf(encryption) === true,
  };
}

function stated(rule: XmlElement, name: string): string {
  const value: TypedValue | null = plainAttribute(rule, name);
  return (value && textOf(value))?.slice(0, maxNameLength) ?? '';
}
