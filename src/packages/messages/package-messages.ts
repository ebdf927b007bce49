/**
 * Messages of the package reader about a package, in English, each with a stable code. A sentence is created by `say` and stored
 * as it is; `recognize` finds its code and values again, so that pages can show it in another language.
 */
import {
  fillTemplate,
  matchTemplate,
  type Template,
  type TemplateValues,
  templateOf,
} from './message-template.ts';
import { problemMessages } from './problem-messages.ts';
import { refusalMessages } from './refusal-messages.ts';
import { warningMessages } from './warning-messages.ts';

export const packageMessages = { ...warningMessages, ...problemMessages, ...refusalMessages } as const;

export type PackageMessages = typeof packageMessages;
export type PackageMessageCode = keyof PackageMessages;

/** Returns the English message. Values may contain any text from the package. */
export function say<Code extends PackageMessageCode>(
  code: Code,
  ...[values]: TemplateValues<PackageMessages[Code]>
): string {
  return fillTemplate(packageMessages[code], values ?? {});
}

export interface RecognizedMessage {
  code: PackageMessageCode;
  values: Readonly<Record<string, string>>;
}

let templates: readonly (Template & { code: PackageMessageCode })[] | null = null;

/**
 * Returns the code and values of a message from this version; null for any other text. If several templates match, which only
 * unusual names in a package can cause, the one with the most words is used.
 */
export function recognize(sentence: string): RecognizedMessage | null {
  templates ??= Object.entries(packageMessages)
    .map(([code, text]) => ({ ...templateOf(text), code: code as PackageMessageCode }))
    .sort((one, other) => other.literalLength - one.literalLength);
  for (const template of templates) {
    const values = matchTemplate(template, sentence);
    if (values) return { code: template.code, values };
  }
  return null;
}
