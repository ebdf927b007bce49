const rules = new Intl.PluralRules('en');

/** Returns the singular or plural form: `pluralForm(2, 'is', 'are')` is `are`. */
export const pluralForm = (count: number, one: string, many: string) =>
  rules.select(count) === 'one' ? one : many;

/** `1 device`, `2 devices`. */
export const plural = (count: number, one: string, many: string) =>
  `${count} ${pluralForm(count, one, many)}`;
