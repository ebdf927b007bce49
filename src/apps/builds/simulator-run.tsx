/** Instructions for running a simulator build. */

import { CodeBlock } from '../../web/components/code-block.tsx';
import { buildTexts } from './build-texts.ts';

/** Command that opens a simulator build on a Mac. It only needs Node and the downloaded script. */
function simulateCommand(origin: string, simulatorAddress: string): string {
  const address = `${origin}${simulatorAddress}`.replaceAll("'", "'\\''");
  return [`curl -fsSO ${origin}/cli/slipway.mjs`, `node slipway.mjs simulate '${address}'`].join('\n');
}

/** `address`: download path including its key, so that the command needs no API key. */
export function SimulatorRun({ origin, address }: { origin: string; address: string }) {
  return (
    <section aria-labelledby="simulator">
      <h2 id="simulator">{buildTexts.build.runSimulator}</h2>
      <p class="secondary">{buildTexts.build.runSimulatorLine}</p>
      <CodeBlock text={simulateCommand(origin, address)} label={buildTexts.build.runSimulatorCommand} />
    </section>
  );
}
