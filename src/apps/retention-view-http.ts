/** One request about a rule: what it asks for, what would go, and the saving. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FormFields, type Person, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { ChangeRetention, RetentionTarget } from '../owners/change-retention.ts';
import { effectiveRule, type RetentionRule, type RetentionRules, withRule } from '../owners/retention.ts';
import { retentionTexts } from '../web/retention-texts.ts';
import { canInherit, type RetentionSubject } from './retention-form.tsx';
import type { Preview, RetentionView } from './retention-page.tsx';
import type { Slice } from './retention-preview.ts';
import {
  judgeTypedRule,
  previewAddress,
  readPage,
  readTypedRule,
  type TypedRule,
  typedRuleOf,
} from './retention-request.ts';

/** Lines of a list on one page. */
const linesOnPage = 50;

export interface RetentionQuery {
  keep?: unknown;
  newest?: unknown;
  days?: unknown;
  page?: unknown;
  done?: unknown;
}

export interface RetentionCase {
  subject: RetentionSubject;
  target: RetentionTarget;
  rules: RetentionRules;
  /** What the rule would remove; null for `rule` means: no rule of its own. */
  preview(rule: RetentionRule | null, slice: Slice): Promise<{ shown: Preview['shown']; lines: number }>;
}

type View = Omit<RetentionView, 'frame'>;

/** What a GET shows: the rule in force, and what another would remove where its fields are in the address. */
export async function viewOf(given: RetentionCase, query: RetentionQuery): Promise<View> {
  const { subject, target, rules } = given;
  const text = (name: keyof RetentionQuery) => {
    const value = query[name];
    return typeof value === 'string' ? value : '';
  };
  const known = {
    subject,
    inForce: effectiveRule(rules),
    otherwise: effectiveRule(withRule(rules, target.place, null)),
    done: query.done === 'saved' ? retentionTexts.saved : null,
  };
  if (query.keep === undefined) {
    const typed = typedRuleOf(rules[target.place], canInherit(subject));
    return { ...known, typed, faults: {}, preview: null };
  }
  const typed = readTypedRule((name) => text(name as keyof RetentionQuery));
  const judged = judgeTypedRule(typed, canInherit(subject));
  if (judged.faults) return { ...known, done: null, typed, faults: judged.faults, preview: null };
  const preview = await previewOf(given, typed, judged.rule, readPage(text('page')));
  return { ...known, done: null, typed, faults: {}, preview };
}

async function previewOf(
  { subject, target, rules, preview }: RetentionCase,
  typed: TypedRule,
  rule: RetentionRule | null,
  page: number,
): Promise<Preview> {
  const skip = (page - 1) * linesOnPage;
  const { shown, lines } = await preview(rule, { skip, most: linesOnPage });
  const { rule: effective } = effectiveRule(withRule(rules, target.place, rule));
  return {
    sentence: retentionTexts.sentence(effective, target.place !== 'app'),
    shown,
    previous: page > 1 ? previewAddress(subject.address, typed, page - 1) : null,
    next: skip + linesOnPage < lines ? previewAddress(subject.address, typed, page + 1) : null,
  };
}

/** Null when the rule is saved; else the page with what is wrong. Throws `forbidden` for a form of another session. */
export async function saveRule(
  parts: { data: Data; changeRetention: ChangeRetention },
  person: Person,
  given: RetentionCase,
  body: unknown,
): Promise<View | null> {
  const form: FormFields = readSessionForm(person, body);
  if (form.text('act') !== 'save') throw invalid('the form asks for nothing that is known here');
  const typed = readTypedRule((name) => form.text(name));
  const judged = judgeTypedRule(typed, canInherit(given.subject));
  if (judged.faults) {
    const view = await viewOf(given, {});
    return { ...view, typed, faults: judged.faults };
  }
  await parts.changeRetention(person.actor, given.target, judged.rule);
  return null;
}

/** Shows the page, or saves and leads back to it. */
export async function answerRetention(
  parts: { data: Data; changeRetention: ChangeRetention },
  request: FastifyRequest<{ Querystring: RetentionQuery }>,
  reply: FastifyReply,
  person: Person,
  given: RetentionCase,
  send: (reply: FastifyReply, view: View) => FastifyReply | Promise<FastifyReply>,
) {
  if (request.method !== 'POST') {
    const view = await viewOf(given, request.query);
    return send(Object.keys(view.faults).length > 0 ? reply.code(400) : reply, view);
  }
  const refused = await saveRule(parts, person, given, request.body);
  if (refused) return send(reply.code(400), refused);
  return reply.redirect(`${given.subject.address}?done=saved`, 303);
}
