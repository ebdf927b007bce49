/** Every address that can be read, filled in for one place, to find what a caller sees that they must not. */
import type { TestService } from './test-service.ts';

/** `values` of path parameters, by name; all others are `1`. Leaves out event streams, which stay open. */
export const readAddresses = ({ service }: Pick<TestService, 'service'>, values: Record<string, string>) =>
  service.routes
    .filter(({ method }) => method === 'GET')
    .map(({ address }) =>
      address.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? '1')),
    )
    .filter((address) => !/\/(live|events)$/.test(address));
