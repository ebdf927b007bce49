import type { Route } from '../http/routes/route.ts';
import type { RateConfig } from '../limits/rate-config.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { type BrowserUploadRouteParts, browserUploadRoutes } from './browser/browser-upload-routes.ts';
import { createCountRefusedUpload, createCountUpload } from './count-upload.ts';
import { type UploadRouteParts, uploadRoutes } from './upload-routes.ts';

type UploadAreaParts = Omit<
  UploadRouteParts & BrowserUploadRouteParts,
  'countUpload' | 'countRefusedUpload'
> & {
  rates: RateConfig;
  limiting: Pick<RateLimiting, 'shared'>;
};

/** Both ways in: for programs with a key, for people with a session. */
export function uploadAreaRoutes({ rates, limiting, ...known }: UploadAreaParts): Route[] {
  const parts = {
    ...known,
    countUpload: createCountUpload(limiting.shared, rates),
    countRefusedUpload: createCountRefusedUpload(limiting.shared, rates),
  };
  return [...browserUploadRoutes(parts), ...uploadRoutes(parts)];
}
