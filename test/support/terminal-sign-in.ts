/** A program that signs in with a device code, as `slipway login` does. */
import { json, send } from './http-client.ts';

const post = (port: number, path: string, fields: Record<string, string>) =>
  send(port, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

export async function beginTerminal(port: number): Promise<{ device_code: string; user_code: string }> {
  return json(await post(port, '/oauth/device_authorization', { client_id: 'slipway-cli' }));
}

export async function pollTerminal(
  port: number,
  device_code: string,
): Promise<{ access_token?: string; error?: string }> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  return json(await post(port, '/oauth/token', { grant_type, device_code }));
}
