import { testAgent } from '../support/agents/test-agent.ts';

testAgent('claude-code');
testAgent('codex');
