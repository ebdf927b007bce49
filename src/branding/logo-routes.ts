import * as v from 'valibot';
import { NotFound } from '../core/errors.ts';
import { content } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Brands } from './brands.ts';

/** The name contains a hash of the logo: it reveals nothing to people who have not seen it. */
const linkHolder: Access<unknown, null, null> = {
  roles: ['link holder'],
  credentials: ['link'],
  others: 'missing',
  anonymous: 'missing',
  identify: async () => null,
  authorize: async () => null,
};

export function logoRoutes({ brands }: { brands: Brands }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/branding/logos/:logo',
      summary: 'Download a logo',
      access: linkHolder,
      params: { logo: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}-\d{1,3}x\d{1,3}\.png$/)) },
      handle: async ({ params }) => {
        const png = await brands.findLogo(params.logo);
        if (!png) throw new NotFound();
        return content('image/png', png, {
          headers: {
            'Cache-Control': 'public, max-age=31536000, immutable',
            'Content-Security-Policy': "default-src 'none'; sandbox",
            'Cross-Origin-Resource-Policy': 'same-origin',
            'X-Content-Type-Options': 'nosniff',
          },
        });
      },
    }),
  ];
}
