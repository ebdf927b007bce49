import type { PrivateSigstore } from '../../support/private-sigstore.ts';
import type { TestService } from '../../support/test-service.ts';
import type { ApiClient } from '../api-client.ts';

/** Calls the operations of one area as a program would, one after the other. */
export interface Walk {
  title: string;
  run(context: { slipway: TestService; api: ApiClient; sigstore: PrivateSigstore }): Promise<void>;
}
