import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { renderDoctorPage } from './doctor-page.tsx';
import type { DoctorRun } from './doctor-run.ts';

export interface DoctorRouteDeps {
  access: RouteAccess;
  doctor: DoctorRun;
}

/** The doctor page for administrators. Its button runs the doctor. */
export function doctorRoutes({ access, doctor }: DoctorRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/administration/doctor',
      summary: 'Show the doctor page',
      access: access.administrator,
      handle: async ({ frame }) => html(renderDoctorPage({ frame, checks: null })),
    }),
    defineRoute({
      method: 'POST',
      path: '/administration/doctor/run',
      summary: 'Run the doctor',
      access: access.administrator,
      reauthentication: false,
      page: '/administration/doctor',
      form: { to: v.optional(v.picklist(['home'])) },
      handle: async ({ frame, form: { to } }) => {
        const checks = await doctor.run();
        if (to === 'home') return redirect(sitePaths.home);
        return html(renderDoctorPage({ frame, checks }));
      },
    }),
  ];
}
