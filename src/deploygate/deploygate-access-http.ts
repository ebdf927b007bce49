/** Access rules with the error messages that clients of DeployGate expect, and common parts of their requests. */
import type { FastifyRequest } from 'fastify';
import type { AddedPerson } from '../accounts/invitations/people-list.ts';
import { AppError, NotFound } from '../core/errors.ts';
import type { RouteCaller } from '../http/routes/client.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Project, Team } from '../owners/owner.ts';

export const appPath = '/api/users/:owner/platforms/:platform/apps/:package';
export const projectAppPath = '/api/organizations/:owner/platforms/:platform/apps/:package';

/** Declared by every route of this interface that changes something. */
export const change = { keyScope: 'manage', looseForm: true, reauthentication: false } as const;
export const read = { method: 'GET', keyScope: 'read' } as const;

/** Returns the same rule with another message for objects that the caller may not see. */
export function saying<Params, Caller extends RouteCaller, Subject>(
  sentence: string,
  rule: Access<Params, Caller, Subject>,
): Access<Params, Caller, Subject> {
  return {
    ...rule,
    authorize: async (caller: Caller, params: Params, request: FastifyRequest) => {
      try {
        return await rule.authorize(caller, params, request);
      } catch (error) {
        throw error instanceof NotFound ? new NotFound(sentence) : error;
      }
    },
  };
}

export const noApp = 'no application is found';
export const noBuild = 'unknown binary';
export const noPage = 'not found';
export const noProject = 'invalid organization name';

/** The teams of every Project, by DeployGate's names in English and Japanese. */
const teamNames: Readonly<Record<string, Team>> = {
  owner: 'owner',
  owners: 'owner',
  オーナー: 'owner',
  developer: 'developer',
  developers: 'developer',
  開発者: 'developer',
  tester: 'tester',
  testers: 'tester',
  テスター: 'tester',
};

/** Throws `NotFound` for other teams, which Projects don't have. */
export function teamNamed(name: string, { name: project }: Pick<Project, 'name'>): Team {
  const team = teamNames[name.normalize('NFC').toLowerCase()];
  if (team) return team;
  throw new NotFound(`${project} has no team ${name}: its teams are owner, developer and tester`);
}

/** Parses names and addresses separated by commas. Some clients put the list in brackets. */
export const loginsOf = (users: string): string[] =>
  users
    .replace(/^\s*\[(.*)\]\s*$/s, '$1')
    .split(',')
    .map((login) => login.trim())
    .filter((login) => login !== '');

export const refused = (message: string) => new AppError('invalid', message);

/** Describes the result of adding a person, up to the name of the place. Throws unless they were added or invited. */
export function outcomeOf(person: AddedPerson | undefined, login: string): string {
  if (person?.outcome === 'refused') throw refused(person.message);
  if (!person || person.outcome === 'unknown' || person.outcome === 'invalid')
    throw new NotFound(`there is no user ${login}`);
  return {
    added: 'was added to',
    already: 'is already in',
    invited: 'was invited to',
    pending: 'was invited to',
  }[person.outcome];
}
