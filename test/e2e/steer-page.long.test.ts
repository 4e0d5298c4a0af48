import { runSubjects } from '../support/e2e/run-subjects.ts';
import { steerPageTests } from './shared/steer-page.ts';

runSubjects({ 'steer-page': steerPageTests });
