/** Security facts as the API shows them. Without secrets: those are for people who manage the app, on its page. */
import * as v from 'valibot';
import { textShape } from '../../core/json-shapes.ts';
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { type SecurityFact, securityFacts, severities } from './security-facts.ts';
import { securitySentence, securityTexts } from './security-texts.ts';

export const securityFactShape = v.pipe(
  v.object({
    id: textShape('For example `debuggable`.'),
    severity: v.pipe(
      v.picklist(severities),
      v.description('`good`: in order. `info`: neither good nor bad.'),
    ),
    title: textShape('What the fact is about.'),
    text: textShape('What is the case, and what to do about it.'),
    items: v.pipe(v.array(v.string()), v.description('What it applies to, such as components.')),
  }),
  v.title('SecurityFact'),
);

const securityFactJson = (fact: SecurityFact): v.InferOutput<typeof securityFactShape> => ({
  id: fact.kind,
  severity: fact.severity,
  title: securityTexts.names[fact.kind],
  text: securitySentence(fact),
  items: [...fact.items],
});

/** The worst first. */
export const securityFactsJson = (analysis: PackageAnalysis) => securityFacts(analysis).map(securityFactJson);
