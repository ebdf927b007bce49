import type { RouteAccess } from '../../accounts/sign-in/route-access-http.ts';
import { html } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { renderDoctorPage } from './doctor-page.tsx';
import type { DoctorRun } from './doctor-run.ts';

export interface DoctorRouteDeps {
  access: RouteAccess;
  doctor: DoctorRun;
}

/** The doctor page for administrators. It runs when its button is pressed. */
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
      form: {},
      handle: async ({ frame }) => {
        const checks = await doctor.run();
        return html(renderDoctorPage({ frame, checks }));
      },
    }),
  ];
}
