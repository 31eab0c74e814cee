// Prepares a fresh clone: installs the packages of the lockfile if they are missing or outdated, then compiles. Plain
// JavaScript, because it runs before anything is installed.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const npm = (...args) =>
  execFileSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
const installed = 'node_modules/.package-lock.json';

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync('package-lock.json').mtimeMs) {
  console.error('Installing dependencies (npm ci) …');
  npm('ci', '--no-audit', '--no-fund');
}
npm('run', '--silent', 'build');
