/** Registered devices as the API and webhooks show them. */
import * as v from 'valibot';
import { formatTime, textShape, timeShape } from '../core/json-shapes.ts';
import type { OwnedDevice } from './device.ts';
import { iosVersionOf } from './ios-version.ts';

export const deviceShape = v.pipe(
  v.object({
    id: v.string(),
    udid: v.string(),
    name: v.string(),
    product: textShape('Model identifier, for example `iPhone14,5`.'),
    os_version: v.nullable(textShape('When it was registered.')),
    user: v.nullable(textShape('Who was signed in when it was registered.')),
    registered_at: timeShape(),
  }),
  v.title('Device'),
);

export const deviceJson = ({ device, userName }: OwnedDevice): v.InferOutput<typeof deviceShape> => ({
  id: device.id,
  udid: device.udid,
  name: device.name,
  product: device.product,
  os_version: iosVersionOf(device.osVersion),
  user: userName,
  registered_at: formatTime(device.createdAt),
});
