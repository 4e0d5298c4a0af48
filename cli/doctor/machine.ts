import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasModel, offeredModels } from '../../config/has-model.ts';
import type { Config } from '../../config/load.ts';
import { readUpFile } from '../../config/up-file.ts';
import { PROTOCOL_RULES } from '../../domain/gateway/protocols.ts';
import { type Provider, PROVIDER_NAMES, PROVIDERS, variablesOf } from '../../domain/llm/providers.ts';
import { plural } from '../../domain/text/plural.ts';
import { isFree } from '../../infra/process/free-port.ts';
import { isAlive } from '../../infra/process/identity.ts';
import { SYSTEM_PATH } from '../../infra/system-path.ts';
import { USUAL_PORTS } from '../up/stack/servers.ts';
import { describeLimits } from '../check/describe-limits.ts';
import { type Finding, missing, ok, reasonOf, remark } from './finding.ts';
import { absentSandboxTools } from './tools.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';

const NEEDED_GB = 2;

export async function checkDisk(home: string): Promise<Finding> {
  const folder = nearest(home);
  const { bavail, bsize } = await statfs(folder);
  const gb = (bavail * bsize) / 1e9;
  const found = `${gb.toFixed(1)} GB free at ${folder}`;
  if (gb >= NEEDED_GB) return ok('disk', found);
  return missing(
    'disk',
    found,
    `${NEEDED_GB} GB at least (6 GB to build a Temporal server); set PERPETUA_HOME to a larger disk`,
  );
}

/** Checks for a stack of this home. Taken ports are no problem: a start uses others. */
export async function checkStack(home: string): Promise<Finding> {
  const up = await readUpFile(home);
  if (up && isAlive(up.owner))
    return ok('stack', `runs in ${home} (process ${up.owner.pid}), Web UI ${up.temporal.uiUrl ?? 'elsewhere'}`);
  const servers = [up?.temporal.embedded, up?.postgres.embedded];
  const orphans = servers.filter((server) => server && isAlive(server)).length;
  if (orphans > 0)
    return remark(
      'stack',
      `its process was killed; ${plural(orphans, 'server')} still ${orphans === 1 ? 'runs' : 'run'}`,
      '`npx perpetua up` takes them over',
    );
  const taken = [];
  for (const port of Object.values(USUAL_PORTS)) if (!(await isFree(port))) taken.push(port);
  const ports =
    taken.length > 0 ? `; ports ${taken.join(', ')} are taken, others will be used` : '; its ports are free';
  return remark('stack', `not running in ${home}${ports}`);
}

/** Checks the containment and the sandbox of this machine by the same probe that runs use. */
export async function checkSandbox(): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-doctor-'));
  try {
    const compute = createLocalCompute({ home: folder, installation: 'doctor' });
    const protections = await compute.protections('preferred');
    const { sandboxed, containment, exposure, notes } = protections;
    const evaluators = sandboxed ? '' : ' Evaluators run without a sandbox, too.';
    const found =
      `${sandboxed ? 'sandboxed' : 'not sandboxed'}, contained by ${containment}. ${exposure}${evaluators} ` +
      `Limits: ${describeLimits(protections)}.`;
    if (sandboxed) return ok('sandbox', found);
    const absent = await absentSandboxTools(SYSTEM_PATH);
    const install = absent.length > 0 ? [`Install util-linux: there is no ${absent.join(', ')}.`] : [];
    return remark('sandbox', found, [...install, ...notes].join(' '));
  } catch (error) {
    return remark('sandbox', `could not be tried: ${reasonOf(error)}`, 'see `npx perpetua check <task>`');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const WORKER_HAS_ITS_OWN = 'a running worker has the settings of its own start';

export async function checkModel(config: Config): Promise<Finding> {
  const offered = PROVIDER_NAMES.filter((name) => offeredModels(config)[name] !== undefined);
  const texts = offered.map((name) => describeProvider(config, name)).join('; ');
  if (!hasModel(config))
    return remark(
      'model',
      `none in this shell: \`auto\` means \`mix\`, which sets knobs (${WORKER_HAS_ITS_OWN})` +
        (texts === '' ? '' : `; ${texts}`),
      'set OPENAI_API_KEY, or OPENAI_BASE_URL for any compatible endpoint, or ANTHROPIC_API_KEY and ANTHROPIC_MODEL, ' +
        'or GEMINI_API_KEY and GEMINI_MODEL, before npm start or npx perpetua worker',
    );
  return ok(
    'model',
    `${texts}; tasks with search.proposer auto or llm use the first with a model (set in this shell; ` +
      `${WORKER_HAS_ITS_OWN})`,
  );
}

const OWNERS: Record<Provider, string> = { openai: "OpenAI's", anthropic: "Anthropic's", gemini: "Google's" };

/** A provider's model and endpoint; the path of a URL may hold a password. */
function describeProvider(config: Config, name: Provider): string {
  const { baseUrl, apiKey, model } = config[name];
  const { title } = PROTOCOL_RULES[PROVIDERS[name].protocol];
  const shown = name === 'openai' ? (url: string) => url : (url: string) => new URL(url).origin;
  const at = baseUrl === null ? OWNERS[name] : shown(baseUrl);
  const asked = model ?? `no model (llm.model, or ${variablesOf(name).model})`;
  const key = apiKey === null ? ', no key' : ', with a key';
  const hasPrice = model === null || config.openai.prices[model] !== undefined;
  const price = hasPrice ? '' : ', no price (a money budget needs PERPETUA_PRICES)';
  return `${asked} at ${at} by ${title} (not tried)${key}${price}`;
}

export const checkSlots = async ({ slots }: Config): Promise<Finding> => ok('slots', `${plural(slots, 'run')} at once`);

function nearest(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}
