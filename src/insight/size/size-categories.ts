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

const tintOf = (group: CategoryGroup) => `map-${group}`;

/** The class that sets `--tile`. */
export const categoryTint = (category: SizeCategory) => tintOf(groups[category]);

/** The groups that occur, in a fixed order. */
export function legendOf(categories: readonly SizeCategory[]): { label: string; tint: string }[] {
  const present = new Set(categories.map((category) => groups[category]));
  return (Object.keys(sizeTexts.groups) as CategoryGroup[])
    .filter((group) => present.has(group))
    .map((group) => ({ label: sizeTexts.groups[group], tint: tintOf(group) }));
}
