/** A scripted model endpoint for tests and benches; as a program: `node scripted-endpoint.js --mode silent`. */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runScriptedEndpoint } from './scripted-endpoint/main.ts';

export { answerWith } from './scripted-endpoint/behaviour.ts';
export type { Behaviour, Script, ScriptedRequest } from './scripted-endpoint/behaviour.ts';
export { readRequestLog, runScriptedEndpoint } from './scripted-endpoint/main.ts';
export type { LoggedRequest } from './scripted-endpoint/main.ts';
export { startScriptedEndpoint } from './scripted-endpoint/server.ts';
export type { ScriptedEndpoint, ScriptedEndpointOptions } from './scripted-endpoint/server.ts';

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  const endpoint = await runScriptedEndpoint(process.argv.slice(2));
  // A parent process waits for this line.
  console.log(`listening ${endpoint.url}`);
}
