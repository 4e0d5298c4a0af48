import { testAgent } from '../support/agents/test-agent.ts';

testAgent('pi');
