import type { AgentRecipe } from './recipe.ts';

/** Paths and addresses of an agent's run, as its process sees them. */
export interface AgentPlace {
  /** Folder of the agent's own, kept between the calls of one trial. */
  home: string;
  /** File that holds the prompt. */
  prompt: string;
  model: string;
  /** Base URL of the gateway, without `/v1`. */
  gateway: string;
  /** Folder of the installed agent; null for a recipe of the user's own. */
  agent: string | null;
  /** UUID of the trial's conversation. */
  session: string;
}

export interface PreparedAgent {
  env: Record<string, string>;
  /** Files to write below the home before the first call. */
  files: { path: string; text: string }[];
}

/** The environment of an agent's command, and the files of its home. The caller adds PATH and the task's variables. */
export function prepareAgent(recipe: Pick<AgentRecipe, 'env' | 'files'>, place: AgentPlace): PreparedAgent {
  const own = {
    PERPETUA_MODEL: place.model,
    PERPETUA_GATEWAY: place.gateway,
    PERPETUA_AGENT_HOME: place.home,
  };
  return {
    env: {
      ...recipe.env,
      ...own,
      ...(place.agent !== null && { PERPETUA_AGENT: place.agent }),
      PERPETUA_PROMPT: place.prompt,
      PERPETUA_SESSION: place.session,
      HOME: place.home,
    },
    files: Object.entries(recipe.files).map(([path, text]) => ({ path, text: fill(text, own) })),
  };
}

/** Replaces variables by their values, as they stand in a string of JSON, TOML or YAML with double quotes. */
const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\$(PERPETUA_[A-Z_]+)/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1);
  });
