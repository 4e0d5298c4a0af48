import type { Protocol } from '../gateway/call.ts';
import { PROTOCOL_RULES } from '../gateway/protocols.ts';

/** Facts about a provider of models. */
interface ProviderFacts {
  /** Protocol in which Perpetua asks its models. */
  protocol: Protocol;
  /** Variable that names the model if the task names none. */
  modelVariable: string;
  /** Highest temperature that the provider accepts. */
  mostTemperature: number;
}

/** Every provider, in the order in which they are taken if a task names none. */
export const PROVIDERS = {
  openai: { protocol: 'chat', modelVariable: 'OPENAI_MODEL', mostTemperature: 2 },
  anthropic: { protocol: 'messages', modelVariable: 'ANTHROPIC_MODEL', mostTemperature: 1 },
  gemini: { protocol: 'gemini', modelVariable: 'GEMINI_MODEL', mostTemperature: 2 },
} as const satisfies Record<string, ProviderFacts>;

export type Provider = keyof typeof PROVIDERS;
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as [Provider, ...Provider[]];

/** Variables of a worker that give a provider its endpoint and its model. */
export interface ProviderVariables {
  baseUrl: string;
  apiKey: string;
  model: string;
}

/** The variables of a provider. */
export const variablesOf = (provider: Provider): ProviderVariables => {
  const { protocol, modelVariable } = PROVIDERS[provider];
  return { ...PROTOCOL_RULES[protocol].variables, model: modelVariable };
};
