/** The ways to begin at a provider, whatever its protocol is. */
import type { Answer } from '../../http/routes/answer.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { SignOnPaths } from '../profile/account-paths.ts';
import type { SingleSignOnAccess } from '../sign-in/sign-in-access-http.ts';
import { type SignOnContext, targetOf, type Way } from './finish-sign-on-http.ts';
import type { SignOn } from './single-sign-on-deps-http.ts';

export interface BeginSignOn<Provider extends SignOn> {
  access: SingleSignOnAccess<Provider>;
  paths: SignOnPaths;
  /** In summaries, such as "identity provider". */
  provider: string;
  /** For a visitor of the sign-in address, who may be signed in. */
  enter(signOn: Provider, context: SignOnContext, to: string | null): Promise<Answer>;
  begin(signOn: Provider, context: SignOnContext, way: Way): Promise<Answer>;
}

export function beginSignOnRoutes<Provider extends SignOn>(begins: BeginSignOn<Provider>): Route[] {
  const { access, paths, provider, begin } = begins;
  return [
    defineRoute({
      method: 'GET',
      path: paths.signIn,
      summary: `Sign in at the ${provider}`,
      access: access.anyone,
      query: { to: lenientText() },
      handle: async (context) => begins.enter(context.subject, context, targetOf(context.query.to)),
    }),
    defineRoute({
      method: 'GET',
      path: paths.link,
      summary: `Sign in at the ${provider} to link an identity`,
      access: access.person,
      handle: async (context) => {
        const { user, signOn } = context.subject;
        return begin(signOn, context, { to: null, purpose: { kind: 'link', userId: user.id } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: paths.confirmAccess,
      summary: `Sign in at the ${provider} again to confirm access`,
      access: access.person,
      query: { to: lenientText() },
      handle: async (context) => {
        const { user, signOn } = context.subject;
        const to = targetOf(context.query.to);
        return begin(signOn, context, { to, purpose: { kind: 'confirm access', userId: user.id } });
      },
    }),
  ];
}
