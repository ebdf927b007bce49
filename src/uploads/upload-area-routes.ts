import type { RouteModule } from '../http/http-server.ts';
import { type BrowserUploadRouteParts, browserUploadRoutes } from './browser-upload-routes.ts';
import { type UploadRouteParts, uploadRoutes } from './upload-routes.ts';

/** Both ways in: for programs with a key, for people with a session. */
export function uploadAreaRoutes(parts: UploadRouteParts & BrowserUploadRouteParts): RouteModule {
  return (server) => {
    uploadRoutes(parts)(server);
    browserUploadRoutes(parts)(server);
  };
}
