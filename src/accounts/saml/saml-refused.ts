import type { samlTexts } from './saml-texts.ts';

/** What is wrong with a response, as people read it. */
export type SamlProblem = keyof typeof samlTexts.problems;

/** The response can't be used. The message is for operators and never contains what the response says. */
export class SamlRefused extends Error {
  override name = 'SamlRefused';
  readonly problem: SamlProblem;

  constructor(problem: SamlProblem, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.problem = problem;
  }
}
