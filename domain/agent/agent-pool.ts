/** Pool of the places in which workers run coding agents, each on its own machine. */
export const AGENT_POOL = 'agents';
