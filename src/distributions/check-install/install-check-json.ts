/** Install checks in `/api/v1`. */
import * as v from 'valibot';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { checkNames, checkStates, installChecks, isInstallable, nextStep } from './install-check.ts';
import type { LoadedInstall } from './load-install-check.ts';

export const installCheckShape = v.pipe(
  v.object({
    installable: v.pipe(
      v.nullable(v.boolean()),
      v.description('Null: nothing refuses the install, but some checks are `unknown`.'),
    ),
    next_step: textShape('The one thing to do.'),
    revision: integerShape('The live build.'),
    user: v.nullable(v.string()),
    device: v.nullable(v.object({ id: v.string(), name: v.string(), model: v.string(), udid: v.string() })),
    checks: v.array(
      v.object({
        check: v.picklist(checkNames),
        state: v.pipe(v.picklist(checkStates), v.description('`unneeded`: the page has no such rule.')),
        reason: v.nullable(textShape('The reason of a refused check, as in the log.')),
        text: v.string(),
      }),
    ),
    last_refusal: v.nullable(
      v.object({
        reason: v.string(),
        system: textShape('Platform and major version, for example `iOS 26`.'),
        at: timeShape(),
      }),
    ),
  }),
  v.title('InstallCheck'),
);

export function installCheckJson(
  { checked }: LoadedInstall,
  revision: number,
): v.InferOutput<typeof installCheckShape> {
  const checks = installChecks(checked);
  const { person, device, lastRefusal } = checked;
  return {
    installable: isInstallable(checks),
    next_step: nextStep(checked, checks).sentence,
    revision,
    user: person?.name ?? null,
    device: device && { id: device.id, name: device.name, model: device.product, udid: device.udid },
    checks: checks.map(({ name, state, reason, sentences }) => ({
      check: name,
      state,
      reason,
      text: sentences.join(' '),
    })),
    last_refusal: lastRefusal && {
      reason: lastRefusal.reason,
      system: lastRefusal.system,
      at: formatTime(lastRefusal.at),
    },
  };
}
