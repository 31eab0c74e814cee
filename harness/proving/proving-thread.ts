/** A thread that proves the subjects that it is given, several at once. */

import { workerData } from 'node:worker_threads';
import type { Section } from '../runner/case.ts';
import type { ProvingJob, ProvingThreadData } from './prove-all.ts';
import { prove } from './prove.ts';
import { catalogueOf, type Subject } from './subject.ts';
import { answerJobs } from './threads.ts';

const data: ProvingThreadData = workerData;
const { sections }: { readonly sections: readonly Section<never>[] } = await import(data.suites);

async function subjectOf({ contract, kind, name, members }: ProvingJob): Promise<Subject> {
  const { solo, combined, faultsTogether } = await catalogueOf(contract);
  if (kind === 'fault' && members.length > 0) return faultsTogether(members);
  const subject = [...solo, ...combined].find((one) => one.kind === kind && one.name === name);
  if (subject === undefined) throw new Error(`there is no ${kind} "${name}" of ${contract}`);
  return subject;
}

answerJobs(async (job: ProvingJob) => prove(await subjectOf(job), { ...data, sections }));
