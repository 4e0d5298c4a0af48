import { testAgent } from '../support/agents/test-agent.ts';

testAgent('mini-swe-agent');
