import type { PageFrames } from '../access/page-frames-http.ts';
import { readSessionForm } from '../access/session-form-http.ts';
import type { RouteModule } from '../http/http-server.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { administratorOrSignIn } from './administrator-http.ts';
import { renderDoctorPage } from './doctor-page.tsx';
import type { DoctorRun } from './doctor-run.ts';

export interface DoctorRouteParts {
  frames: PageFrames;
  doctor: DoctorRun;
}

/** The doctor as a page, for administrators. It runs when its button is pressed. */
export function doctorRoutes({ frames, doctor }: DoctorRouteParts): RouteModule {
  return (server) => {
    server.get(siteAddresses.doctor, async (request, reply) => {
      const person = await administratorOrSignIn(frames, request, reply);
      if (!person) return reply;
      return frames.send(reply, renderDoctorPage({ frame: frames.of(request, person), checks: null }));
    });
    server.post(siteAddresses.doctor, async (request, reply) => {
      const person = await administratorOrSignIn(frames, request, reply);
      if (!person) return reply;
      readSessionForm(person, request.body);
      const checks = await doctor.run();
      return frames.send(reply, renderDoctorPage({ frame: frames.of(request, person), checks }));
    });
  };
}
