/** Colors of categories. Six groups stay distinguishable, and each color is named in a legend. */
import type { SizeCategory } from '../../packages/analysis/analysis.ts';
import { sizeTexts } from './size-texts.ts';

type CategoryGroup = keyof typeof sizeTexts.groups;

const groups: Readonly<Record<SizeCategory, CategoryGroup>> = {
  code: 'code',
  native: 'libraries',
  frameworks: 'libraries',
  resources: 'resources',
  localization: 'resources',
  images: 'images',
  media: 'images',
  fonts: 'images',
  assets: 'assets',
  metadata: 'other',
  signature: 'other',
  other: 'other',
};

const tints: Readonly<Record<CategoryGroup, string>> = {
  code: 'tint-1',
  libraries: 'tint-2',
  resources: 'tint-3',
  images: 'tint-4',
  assets: 'tint-5',
  other: 'tint-0',
};

export const categoryTint = (category: SizeCategory) => tints[groups[category]];

/** The groups that occur, in a fixed order. */
export function legendOf(categories: readonly SizeCategory[]): { label: string; tint: string }[] {
  const present = new Set(categories.map((category) => groups[category]));
  return (Object.keys(tints) as CategoryGroup[])
    .filter((group) => present.has(group))
    .map((group) => ({ label: sizeTexts.groups[group], tint: tints[group] }));
}
