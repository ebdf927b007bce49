import { expect, test } from 'vitest';
import { readCiFacts } from '../../src/commands/uploader/upload-ci-facts.ts';

const none = { branch: null, commit: null, buildUrl: null };
const github = {
  GITHUB_ACTIONS: 'true',
  GITHUB_REF: 'refs/heads/feature/login',
  GITHUB_SHA: 'c0ffee',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/demo',
  GITHUB_RUN_ID: '42',
};
const githubRun = 'https://github.com/acme/demo/actions/runs/42';

test.each([
  ['no service', {}, none],
  ['a variable of a service that does not run', { CIRCLE_BRANCH: 'main', GIT_COMMIT: 'x' }, none],
  ['GitHub, a branch', github, { branch: 'feature/login', commit: 'c0ffee', buildUrl: githubRun }],
  [
    'GitHub, a pull request',
    { ...github, GITHUB_REF: 'refs/pull/7/merge', GITHUB_HEAD_REF: 'fix' },
    { branch: 'fix', commit: 'c0ffee', buildUrl: githubRun },
  ],
  [
    'GitHub, a tag',
    { ...github, GITHUB_REF: 'refs/tags/v1' },
    { branch: null, commit: 'c0ffee', buildUrl: githubRun },
  ],
  ['GitHub, half known', { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '1' }, none],
  [
    'GitLab, a merge request',
    {
      GITLAB_CI: 'true',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'fix',
      CI_COMMIT_SHA: 'c0ffee',
      CI_PIPELINE_URL: 'https://gitlab.example.com/p/1',
    },
    { branch: 'fix', commit: 'c0ffee', buildUrl: 'https://gitlab.example.com/p/1' },
  ],
  [
    'GitLab, a branch',
    {
      GITLAB_CI: 'true',
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_SHA: 'c0ffee',
      CI_JOB_URL: 'https://gitlab.example.com/j/2',
    },
    { branch: 'main', commit: 'c0ffee', buildUrl: 'https://gitlab.example.com/j/2' },
  ],
  [
    'Bitrise',
    {
      BITRISE_IO: 'true',
      BITRISE_GIT_BRANCH: 'main',
      GIT_CLONE_COMMIT_HASH: 'c0ffee',
      BITRISE_BUILD_URL: 'https://app.bitrise.io/build/1',
    },
    { branch: 'main', commit: 'c0ffee', buildUrl: 'https://app.bitrise.io/build/1' },
  ],
  [
    'CircleCI',
    {
      CIRCLECI: 'true',
      CIRCLE_BRANCH: 'main',
      CIRCLE_SHA1: 'c0ffee',
      CIRCLE_BUILD_URL: 'https://circleci.com/gh/a/b/1',
    },
    { branch: 'main', commit: 'c0ffee', buildUrl: 'https://circleci.com/gh/a/b/1' },
  ],
  [
    'Buildkite, started by hand',
    {
      BUILDKITE: 'true',
      BUILDKITE_BRANCH: 'main',
      BUILDKITE_COMMIT: 'HEAD',
      BUILDKITE_BUILD_URL: 'https://buildkite.com/a/b/builds/1',
    },
    { branch: 'main', commit: null, buildUrl: 'https://buildkite.com/a/b/builds/1' },
  ],
  [
    'Travis, a pull request',
    {
      TRAVIS: 'true',
      TRAVIS_BRANCH: 'main',
      TRAVIS_PULL_REQUEST_BRANCH: 'fix',
      TRAVIS_COMMIT: 'merge',
      TRAVIS_PULL_REQUEST_SHA: 'c0ffee',
      TRAVIS_BUILD_WEB_URL: 'https://app.travis-ci.com/a/b/builds/1',
    },
    { branch: 'fix', commit: 'c0ffee', buildUrl: 'https://app.travis-ci.com/a/b/builds/1' },
  ],
  [
    'Azure',
    {
      TF_BUILD: 'True',
      BUILD_SOURCEBRANCH: 'refs/heads/main',
      BUILD_SOURCEVERSION: 'c0ffee',
      SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
      SYSTEM_TEAMPROJECT: 'Demo App',
      BUILD_BUILDID: '9',
    },
    {
      branch: 'main',
      commit: 'c0ffee',
      buildUrl: 'https://dev.azure.com/acme/Demo%20App/_build/results?buildId=9',
    },
  ],
  [
    'Xcode Cloud',
    {
      CI_XCODEBUILD_ACTION: 'archive',
      CI_BRANCH: 'main',
      CI_COMMIT: 'c0ffee',
      CI_BUILD_URL: 'https://appstoreconnect.apple.com/1',
    },
    { branch: 'main', commit: 'c0ffee', buildUrl: 'https://appstoreconnect.apple.com/1' },
  ],
  [
    'Codemagic',
    { CM_BUILD_ID: '1', CM_BRANCH: 'main', CM_COMMIT: 'c0ffee' },
    { branch: 'main', commit: 'c0ffee', buildUrl: null },
  ],
  [
    'Jenkins',
    {
      JENKINS_URL: 'https://jenkins.example.com/',
      GIT_BRANCH: 'origin/release/2',
      GIT_COMMIT: 'c0ffee',
      BUILD_URL: 'https://jenkins.example.com/job/demo/1/',
    },
    { branch: 'release/2', commit: 'c0ffee', buildUrl: 'https://jenkins.example.com/job/demo/1/' },
  ],
])('the branch, commit and URL are read from the environment of %s', (_what, env, facts) => {
  expect(readCiFacts(env)).toEqual(facts);
});
