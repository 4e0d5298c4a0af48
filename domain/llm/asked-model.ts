import { type Provider, PROVIDER_NAMES, variablesOf } from './providers.ts';

/** Settings that choose a model; those that are absent have the task's values. */
export interface ModelSettings {
  provider?: Provider | undefined;
  model?: string | undefined;
  temperature?: number | null | undefined;
  maxTokens?: number | undefined;
  body?: Readonly<Record<string, unknown>> | undefined;
}

/** Providers with an endpoint on a worker, each with the model of its variable; null: the variable is unset. */
export type OfferedModels = Readonly<Partial<Record<Provider, string | null>>>;

/** A provider and its model, with further keys of the request; `missing`: why there is none, with the remedy. */
export type AskedModel =
  { provider: Provider; model: string; body: Readonly<Record<string, unknown>> | undefined } | { missing: string };

/**
 * The model that a proposer asks. Model and body of the task belong to the task's provider: a proposer that names
 * another provider does not get them. If neither names a provider, it is the first with an endpoint and a model.
 */
export function askedModel(
  offered: OfferedModels,
  { settings, llm }: { settings: ModelSettings; llm: ModelSettings },
): AskedModel {
  const usual = llm.provider ?? usualProvider(offered, settings.model ?? llm.model);
  const provider = settings.provider ?? usual;
  const variables = provider === undefined ? null : variablesOf(provider);
  if (provider === undefined || variables === null)
    return { missing: `none is configured on this worker: ${remedy('OPENAI_BASE_URL', ...KEYS)}` };
  if (offered[provider] === undefined)
    return {
      missing: `none of ${provider} is configured on this worker: ${remedy(variables.baseUrl, variables.apiKey)}`,
    };
  const shared = provider === usual ? llm : {};
  const model = settings.model ?? shared.model ?? offered[provider];
  if (model === null)
    return { missing: `expected the name of a model of ${provider}, got none: set llm.model, or ${variables.model}` };
  return { provider, model, body: settings.body ?? shared.body };
}

/** Reason why a proposer with some settings has no model on a worker with these providers, with the remedy. */
export const lacksModelOf =
  (offered: OfferedModels, { llm }: { llm: ModelSettings }) =>
  (settings: ModelSettings): string | null => {
    const asked = askedModel(offered, { settings, llm });
    return 'missing' in asked ? asked.missing : null;
  };

function usualProvider(offered: OfferedModels, model: string | undefined): Provider | undefined {
  const present = PROVIDER_NAMES.filter((name) => offered[name] !== undefined);
  return present.find((name) => (model ?? offered[name]) !== null) ?? present[0];
}

const KEYS = PROVIDER_NAMES.map((name) => variablesOf(name).apiKey);

function remedy(...variables: string[]): string {
  const last = variables.pop() ?? '';
  return `run npx perpetua down, set ${variables.join(', ')} or ${last}, then npm start`;
}
