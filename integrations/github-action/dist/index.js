/* Slipway's uploader 0.1.0. MIT license. */
import { appendFile, open, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import util, { promisify } from "node:util";
import { basename, join } from "node:path";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as setTimeout$1 } from "node:timers/promises";
import http from "node:http";
import https from "node:https";
import { execFile } from "node:child_process";
// src/commands/terminal-text.ts
/** Formats terminal text. This is the only file that writes it, because texts come from servers, packages and other people. */
/** Formats `7 s`, `1 min 05 s`, `2 h 03 min`: rounded to whole units. */
function formatSeconds(seconds) {
	const whole = Math.round(seconds);
	if (whole < 60) return `${whole} s`;
	const twoDigits = (value) => String(value).padStart(2, "0");
	const minutes = Math.floor(whole / 60);
	if (minutes < 60) return `${minutes} min ${twoDigits(whole % 60)} s`;
	return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}
/**
* Control characters, which could move the cursor, change colors or imitate user input, and characters that reorder text
* or are invisible. Joiners are kept, because they are part of emoji and words.
*/
var unsafe = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
/** The runners of GitHub (`##[set-output …]`) and Azure (`##vso[…]`) read commands anywhere in a line of the log. */
var logCommand = /##(?=\w*\[)/g;
/** Makes untrusted text safe to print on one line, and collapses white space. */
function printable(text) {
	return text.replace(unsafe, " ").replace(logCommand, "# #").replace(/\s+/g, " ").trim();
}
/** Writes lines of text. A line contains neither line breaks nor control characters other than tabs. */
function writeLines(sink, ...lines) {
	const safe = lines.map((line) => line.replace(unsafe, (mark) => mark === "	" ? mark : " ").replace(logCommand, "# #"));
	sink.write(safe.map((line) => `${line}\n`).join(""));
}
/** Writes JSON on one line. Characters that could affect a terminal or a CI system are escaped; the JSON parses to the same value. */
function writeJson(sink, value) {
	const escaped = (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
	const text = JSON.stringify(value).replace(unsafe, escaped).replace(logCommand, `#${escaped("#")}`);
	sink.write(`${text}\n`);
}
/** Writes text composed by this program, including escape sequences. Texts from elsewhere must have passed through `printable`. */
function draw(sink, text) {
	sink.write(text);
}
/** Truncates to `maxLength` characters, including an ellipsis. */
function truncate(text, maxLength) {
	const characters = [...text];
	return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join("")}…`;
}
/** Returns whether to use colors on this terminal: see https://no-color.org. */
function wantsColor(env, isTerminal) {
	return isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
}
// src/commands/uploader/upload-error.ts
/** A user-facing upload error. `hint` suggests what to do, if known. */
var UploadError = class extends Error {
	name = "UploadError";
	hint;
	/** Whether a retry may succeed because the connection broke or there was no answer. */
	isTransient;
	constructor(message, options = {}) {
		super(message, { cause: options.cause });
		this.hint = options.hint ?? null;
		this.isTransient = options.isTransient ?? false;
	}
};
/** Someone ended the program. */
var InterruptedError = class extends UploadError {
	name = "InterruptedError";
	constructor() {
		super("Interrupted; nothing was published.");
	}
};
/** An invalid command line; the program exits with 2 instead of 1. */
var UsageError = class extends Error {
	name = "UsageError";
};
/** Throws for an argument that is not UTF-8: Node has replaced its bytes with U+FFFD, so different names would become equal. */
function requireDecodable(argv) {
	const at = argv.findIndex((argument) => argument.includes("�"));
	if (at !== -1) throw new UsageError(`Argument ${at + 1} is not UTF-8: ${argv[at]}`);
}
// src/commands/uploader/api-request.ts
/** Calls the APIs of CI services and of the server: small answers, a limit on time and size, and no redirect to another host. */
var defaultTimeoutMs = 3e4;
var maxApiAnswerBytes = 8388608;
var maxRedirects = 3;
/**
* Returns the answer with any status. Follows redirects only within the origin, because the headers contain a token. Throws
* `UploadError`, without the query of the address, which can contain a secret.
*/
async function callApi(address, call = {}) {
	const signal = AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs);
	let url = address;
	for (let redirects = 0;; redirects += 1) {
		const response = await fetchFrom(url, call, signal);
		const location = response.headers.get("location");
		if (response.status < 300 || response.status > 399 || location === null) return await readAnswer$2(response, url);
		await response.body?.cancel();
		const target = URL.canParse(location, url) ? new URL(location, url) : null;
		if (target?.origin !== url.origin || redirects === maxRedirects) throw new UploadError(`${url.origin} redirects to ${truncate(printable(target?.origin ?? location), 200)}, which is not followed.`);
		url = target;
	}
}
async function fetchFrom(url, { method, headers, body }, signal) {
	try {
		return await fetch(url, {
			redirect: "manual",
			signal,
			...method ? { method } : {},
			...headers ? { headers } : {},
			...body === void 0 ? {} : { body }
		});
	} catch (error) {
		throw unreachable(url, error);
	}
}
function unreachable(url, error) {
	const cause = error instanceof Error ? error.cause ?? error : error;
	const reason = error instanceof Error && error.name === "TimeoutError" ? "it did not answer in time" : reasonOf(cause);
	return new UploadError(`${url.origin} cannot be reached: ${reason}.`, {
		isTransient: true,
		cause: error
	});
}
function reasonOf(cause) {
	if (!(cause instanceof Error)) return String(cause);
	return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}
async function readAnswer$2(response, url) {
	const chunks = [];
	let bytes = 0;
	try {
		for await (const chunk of response.body ?? []) {
			bytes += chunk.length;
			if (bytes > 8388608) throw new UploadError(`${url.origin} answered with more than ${maxApiAnswerBytes} bytes.`);
			chunks.push(chunk);
		}
	} catch (error) {
		throw error instanceof UploadError ? error : unreachable(url, error);
	}
	const text = Buffer.concat(chunks).toString("utf8");
	return {
		status: response.status,
		headers: response.headers,
		text,
		json: parseJson(text)
	};
}
function parseJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
/** Returns a text of a JSON object, or null. */
function textAt(json, name) {
	const value = typeof json === "object" && json !== null ? json[name] : null;
	return typeof value === "string" && value !== "" ? value : null;
}
// src/commands/remote/credentials-file.ts
/** The servers that a person is signed in to, stored in a file that only they can read. */
/** Not an `AppError`, whose texts in every language the uploader would contain. */
var SettingsUnavailable = class extends Error {
	name = "SettingsUnavailable";
};
var none = {
	current: null,
	servers: {}
};
/** XDG Base Directory Specification. */
function settingsFolder({ environment }) {
	const { XDG_CONFIG_HOME: config, HOME: home, APPDATA: appData } = environment;
	const folder = config || appData || home && join(home, ".config");
	if (!folder) throw new SettingsUnavailable("set HOME or XDG_CONFIG_HOME: Slipway stores its settings there");
	return join(folder, "slipway");
}
var credentialsPath = (io) => join(settingsFolder(io), "credentials.json");
/** Throws if the file is damaged. */
async function readCredentials(io) {
	const { XDG_CONFIG_HOME: config, HOME: home, APPDATA: appData } = io.environment;
	if (!config && !home && !appData) return none;
	const path = credentialsPath(io);
	let text;
	try {
		text = await readFile(path, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return none;
		throw error;
	}
	try {
		return {
			...none,
			...JSON.parse(text)
		};
	} catch {
		throw new SettingsUnavailable(`${path} is damaged: delete it and run slipway login`);
	}
}
// src/commands/uploader/id-token.ts
/** Gets an OpenID Connect ID token from the CI service, with the server as its audience. */
/** The environment of Bitrise comes from its step "Get OIDC Identity Token", that of Bitbucket from `oidc`. */
var variables = [
	["SLIPWAY_ID_TOKEN", "SLIPWAY_ID_TOKEN"],
	["BITBUCKET_STEP_OIDC_TOKEN", "Bitbucket"],
	["BITRISE_IDENTITY_TOKEN", "Bitrise"]
];
/** Returns null if this is no CI service that offers ID tokens, or the job has no permission to get one. */
function findIdTokens(env, runProgram) {
	const [name, service = ""] = variables.find(([each]) => env[each]?.trim()) ?? [];
	if (name) return {
		service,
		isRenewable: false,
		get: async () => checkToken(env[name]?.trim() ?? "", service)
	};
	const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = env;
	if (url && requestToken) return {
		service: "GitHub Actions",
		isRenewable: true,
		get: (audience) => fromGithub(url, requestToken, audience)
	};
	if (env.CIRCLECI) return fromProgram("CircleCI", "circleci", runProgram, (audience) => {
		return [
			"run",
			"oidc",
			"get",
			"--claims",
			JSON.stringify({ aud: audience })
		];
	});
	if (env.BUILDKITE) return fromProgram("Buildkite", "buildkite-agent", runProgram, (audience) => {
		return [
			"oidc",
			"request-token",
			"--audience",
			audience
		];
	});
	return null;
}
/** What to do in this CI service, if it offers no token. */
function idTokenAdvice(env) {
	if (env.GITHUB_ACTIONS) return "Give the job the permission \"id-token: write\".";
	if (env.GITLAB_CI) return "Add id_tokens to the job: SLIPWAY_ID_TOKEN with the address of the server as aud.";
	if (env.BITBUCKET_BUILD_NUMBER) return "Add oidc to the step, with the address of the server as the only one of its audiences.";
	if (env.BITRISE_IO) return "Run the step \"Get OIDC Identity Token\" first, with the address of the server as its audience.";
	return "Set SLIPWAY_ID_TOKEN to an ID token whose audience is the address of the server.";
}
async function fromGithub(url, requestToken, audience) {
	if (!URL.canParse(url)) throw new UploadError("ACTIONS_ID_TOKEN_REQUEST_URL is not an address.");
	const address = new URL(url);
	address.searchParams.set("audience", audience);
	const answer = await callApi(address, { headers: {
		Authorization: `Bearer ${requestToken}`,
		Accept: "application/json"
	} });
	const token = textAt(answer.json, "value");
	if (answer.status !== 200 || !token) throw new UploadError(`GitHub Actions did not issue an ID token (${answer.status}).`, {
		hint: "Give the job the permission \"id-token: write\".",
		isTransient: answer.status >= 500
	});
	return checkToken(token, "GitHub Actions");
}
function fromProgram(service, program, runProgram, argumentsFor) {
	const get = async (audience) => {
		return checkToken((await runProgram(program, argumentsFor(audience)).catch((cause) => {
			throw new UploadError(`${program} did not issue an ID token.`, {
				hint: `Check that ${program} is installed on this machine and may request ID tokens.`,
				cause
			});
		})).trim(), service);
	};
	return {
		service,
		isRenewable: true,
		get
	};
}
function checkToken(token, service) {
	if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
	throw new UploadError(`The ID token of ${service} is not a JSON Web Token.`);
}
// src/apps/build-fields.ts
var shortName = (ref) => ref.replace(/^refs\/(heads|tags)\//, "");
var buildFields = {
	branch: {
		name: "branch",
		column: "branch",
		kind: "code",
		maxCharacters: 255,
		searched: true,
		description: "Branch that the build was made from.",
		claim: {
			name: "ref",
			value: (ref) => /^refs\/(?!heads\/)/.test(ref) ? null : shortName(ref),
			agrees: (branch, ref) => branch === ref || branch === shortName(ref) || !ref.startsWith("refs/") && shortName(branch) === ref
		}
	},
	commit: {
		name: "commit",
		column: "commit_id",
		kind: "commit",
		maxCharacters: 255,
		searched: true,
		description: "Commit that the build was made from.",
		claim: {
			name: "commit",
			value: (commit) => commit,
			agrees: (stated, commit) => stated.length >= 7 && commit.toLowerCase().startsWith(stated.toLowerCase())
		}
	},
	buildUrl: {
		name: "build_url",
		column: "build_url",
		kind: "url",
		maxCharacters: 2048,
		searched: false,
		description: "URL of the CI run, http or https.",
		claim: {
			name: "run_url",
			value: (url) => url,
			agrees: (stated, url) => {
				const page = URL.parse(stated)?.href ?? "";
				const isBelow = page.startsWith(`${url}/`);
				const isJob = url.includes("/-/pipelines/") && page.startsWith(`${url.split("/-/")[0]}/-/jobs/`);
				return stated === url || isBelow || isJob;
			}
		}
	},
	label: {
		name: "label",
		column: "label",
		kind: "words",
		maxCharacters: 255,
		searched: true,
		description: "A label of your choice."
	}
};
var buildFieldList = Object.keys(buildFields);
buildFieldList.filter((field) => buildFields[field].searched);
/** Returns the values by their names in forms and JSON, or by column. */
function buildFieldsBy(key, value) {
	const entries = buildFieldList.map((field) => [buildFields[field][key], value(field)]);
	return Object.fromEntries(entries);
}
// src/core/byte-size.ts
/** Parses and formats sizes, in binary units. */
var kibibyte = 1024;
var unitNames = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB"
];
var unitBytes = {
	"": 1,
	B: 1,
	KIB: kibibyte,
	MIB: kibibyte ** 2,
	GIB: kibibyte ** 3,
	TIB: kibibyte ** 4,
	KB: 1e3,
	MB: 1e6,
	GB: 1e9,
	TB: 0xe8d4a51000
};
/** Formats `843 B`, `1.5 KiB`, `14.2 MiB`, `4 GiB`: with at most one decimal. */
function formatBytes(bytes) {
	let amount = bytes;
	let unit = 0;
	while (unit < unitNames.length - 1 && Number(amount.toFixed(1)) >= kibibyte) {
		amount /= kibibyte;
		unit += 1;
	}
	return `${Number(amount.toFixed(unit === 0 ? 0 : 1))} ${unitNames[unit]}`;
}
/** Parses `500MiB`, `1.5 GB` or a number of bytes. Returns whole positive bytes, or null. */
function readByteSize(text) {
	const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
	const factor = unitBytes[unit.toUpperCase()];
	const bytes = digits && factor ? Math.floor(Number(digits) * factor) : 0;
	return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}
// src/insight/checks/check-result.ts
/** The worst first. */
var checkStates = [
	"failed",
	"warned",
	"not_analyzed",
	"accepted",
	"passed"
];
var checkCategories = [
	"size",
	"store",
	"security",
	"dependencies"
];
/** Names of single checks, by their id, for those who name what fails a job. They are part of their category as well. */
var namedChecks = {
	"new-permissions": "permissions",
	"new-exported-components": "components"
};
/** What `--fail-on` of the uploader and of integrations takes for checks. */
var checkNames = [...checkCategories, ...Object.values(namedChecks)];
// src/packages/package-extensions.ts
/** The usual extensions of files that Slipway reads. They are only used to choose files; a package is recognized by its content. */
var packageExtensions = {
	android: [
		".apk",
		".aab",
		".apks"
	],
	ios: [".ipa"]
};
var extensions = [...packageExtensions.ios, ...packageExtensions.android];
/** For use in sentences: `.a, .b or .c`. */
var anyPackageExtension = `${extensions.slice(0, -1).join(", ")} or ${extensions.at(-1)}`;
// src/commands/environment-key.ts
/** Reads the key in SLIPWAY_API_KEY. It belongs to the server in SLIPWAY_URL, and no command sends it anywhere else. */
/** `origin`: the server that the command calls. */
function environmentKeyFor(environment, origin) {
	const key = environment.SLIPWAY_API_KEY?.trim();
	const own = environment.SLIPWAY_URL?.trim();
	if (!key) return {
		key: null,
		refusal: null
	};
	if (!own) return {
		key: null,
		refusal: "SLIPWAY_API_KEY is sent only to the server in SLIPWAY_URL, which is not set"
	};
	if (URL.parse(own.includes("://") ? own : `https://${own}`)?.origin === origin) return {
		key,
		refusal: null
	};
	return {
		key: null,
		refusal: `SLIPWAY_API_KEY is for ${printable(own)} and is not sent to ${origin}`
	};
}
// src/commands/uploader/upload-ci-facts.ts
/**
* | service        | recognized by        | documented as                                  |
* |----------------|----------------------|------------------------------------------------|
* | GitHub Actions | GITHUB_ACTIONS       | "Default environment variables"                |
* | GitLab CI      | GITLAB_CI            | "Predefined CI/CD variables"                   |
* | Bitrise        | BITRISE_IO           | "Available environment variables"              |
* | CircleCI       | CIRCLECI             | "Built-in environment variables"               |
* | Buildkite      | BUILDKITE            | "Environment variables"                        |
* | Travis CI      | TRAVIS               | "Default environment variables"                |
* | Azure          | TF_BUILD             | "Predefined variables"                         |
* | Xcode Cloud    | CI_XCODEBUILD_ACTION | "Environment variable reference"               |
* | Codemagic      | CM_BUILD_ID          | "Built-in environment variables"; no build URL |
* | Jenkins        | JENKINS_URL          | "Using environment variables", Git plugin      |
*/
var services = [
	{
		mark: "GITHUB_ACTIONS",
		branch: ["GITHUB_HEAD_REF", "GITHUB_REF"],
		commit: ["GITHUB_SHA"],
		buildUrl: githubRunUrl
	},
	{
		mark: "GITLAB_CI",
		branch: ["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"],
		commit: ["CI_COMMIT_SHA"],
		buildUrl: ["CI_JOB_URL", "CI_PIPELINE_URL"]
	},
	{
		mark: "BITRISE_IO",
		branch: ["BITRISE_GIT_BRANCH"],
		commit: ["BITRISE_GIT_COMMIT", "GIT_CLONE_COMMIT_HASH"],
		buildUrl: ["BITRISE_BUILD_URL"]
	},
	{
		mark: "CIRCLECI",
		branch: ["CIRCLE_BRANCH"],
		commit: ["CIRCLE_SHA1"],
		buildUrl: ["CIRCLE_BUILD_URL"]
	},
	{
		mark: "BUILDKITE",
		branch: ["BUILDKITE_BRANCH"],
		commit: ["BUILDKITE_COMMIT"],
		buildUrl: ["BUILDKITE_BUILD_URL"]
	},
	{
		mark: "TRAVIS",
		branch: ["TRAVIS_PULL_REQUEST_BRANCH", "TRAVIS_BRANCH"],
		commit: ["TRAVIS_PULL_REQUEST_SHA", "TRAVIS_COMMIT"],
		buildUrl: ["TRAVIS_JOB_WEB_URL", "TRAVIS_BUILD_WEB_URL"]
	},
	{
		mark: "TF_BUILD",
		branch: ["SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"],
		commit: ["SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"],
		buildUrl: azureRunUrl
	},
	{
		mark: "CI_XCODEBUILD_ACTION",
		branch: ["CI_PULL_REQUEST_SOURCE_BRANCH", "CI_BRANCH"],
		commit: ["CI_PULL_REQUEST_SOURCE_COMMIT", "CI_COMMIT"],
		buildUrl: ["CI_BUILD_URL"]
	},
	{
		mark: "CM_BUILD_ID",
		branch: ["CM_BRANCH"],
		commit: ["CM_COMMIT"],
		buildUrl: []
	},
	{
		mark: "JENKINS_URL",
		branch: [
			"CHANGE_BRANCH",
			"BRANCH_NAME",
			"GIT_LOCAL_BRANCH",
			"GIT_BRANCH"
		],
		commit: ["GIT_COMMIT"],
		buildUrl: ["BUILD_URL"]
	}
];
/** Returns nulls if no known service is detected. A tag is not a branch. */
function readCiFacts(env) {
	const service = services.find(({ mark }) => env[mark]);
	if (!service) return {
		branch: null,
		commit: null,
		buildUrl: null
	};
	const buildUrl = typeof service.buildUrl === "function" ? service.buildUrl(env) : first(env, service.buildUrl);
	return {
		branch: branchName(first(env, service.branch)),
		commit: commitId(first(env, service.commit)),
		buildUrl
	};
}
function first(env, names) {
	for (const name of names) {
		const value = env[name]?.trim();
		if (value) return value;
	}
	return null;
}
/** Some services set a full reference (`refs/heads/main`); Jenkins' Git plugin includes the remote (`origin/main`). */
function branchName(reference) {
	if (!reference) return null;
	if (reference.startsWith("refs/heads/")) return reference.slice(11);
	if (reference.startsWith("refs/")) return null;
	return reference.startsWith("origin/") ? reference.slice(7) : reference;
}
/** Buildkite sets `HEAD` for manually started builds before the checkout. */
function commitId(commit) {
	return commit === "HEAD" ? null : commit;
}
function githubRunUrl(env) {
	const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
	return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null;
}
function azureRunUrl(env) {
	const { SYSTEM_COLLECTIONURI: collection, SYSTEM_TEAMPROJECT: project, BUILD_BUILDID: build } = env;
	if (!collection || !project || !build) return null;
	return `${collection.replace(/(?<!\/)\/*$/, "/")}${encodeURIComponent(project)}/_build/results?buildId=${build}`;
}
// src/commands/uploader/upload-inputs.ts
/**
* The inputs of an upload. Options, environment variables, help, completion and docs derive from this list, and integrations
* use its names. The environment name of `release-notes` is SLIPWAY_RELEASE_NOTES.
*/
var originInput = (field) => ({
	value: buildFields[field].kind === "url" ? "URL" : "TEXT",
	section: "origin",
	description: buildFields[field].description.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, ""),
	...buildFields[field].kind === "words" ? { freeText: true } : {}
});
var optionOf = (field) => buildFields[field].name.replaceAll("_", "-");
var originInputs = Object.fromEntries(buildFieldList.map((field) => [optionOf(field), originInput(field)]));
/** What `--fail-on` can list. The integrations that have their own client repeat it, and are tested against it. */
var failConditions = [
	"install",
	...checkNames,
	"size=PERCENT%",
	"size=BYTES"
];
var failReasons = `if nobody can install the build (install), if a check of the server failed and is not accepted (${checkNames.join(", ")}), or if the file grew more than a limit (size=5%, size=2MB); several with commas`;
var inputs = {
	file: {
		value: "FILE",
		section: "build",
		environment: true,
		description: `the ${anyPackageExtension}`
	},
	owner: {
		value: "OWNER",
		section: "build",
		short: "o",
		environment: true,
		description: "the user or project that the app belongs to"
	},
	server: {
		value: "URL",
		section: "build",
		short: "u",
		aliases: ["url"],
		environment: true,
		description: "the server (also SLIPWAY_URL; else where you signed in, else http://127.0.0.1:8080)"
	},
	message: {
		value: "TEXT",
		section: "build",
		short: "m",
		environment: true,
		freeText: true,
		description: "what changed in this build"
	},
	"ios-simulator-zip": {
		value: "FILE",
		section: "build",
		description: "iOS: a zip file with the simulator build's .app folder"
	},
	attestation: {
		value: "FILE",
		section: "build",
		description: "a Sigstore bundle about the file, such as the bundle-path of actions/attest"
	},
	symbols: {
		value: "FILES",
		section: "build",
		environment: true,
		description: "symbol files of the build: a zip file of dSYMs, mapping.txt, native-debug-symbols.zip; several with commas"
	},
	page: {
		value: "NAME",
		section: "page",
		aliases: ["distribution-name"],
		environment: true,
		description: "create or update the page with this name, for example a branch name"
	},
	"page-key": {
		value: "KEY",
		section: "page",
		aliases: ["distribution-key"],
		description: "update the page with this key (end of its address); overrides --page"
	},
	"release-notes": {
		value: "TEXT",
		section: "page",
		aliases: ["release-note"],
		environment: true,
		freeText: true,
		description: "shown on the page (default: the message)"
	},
	notify: {
		value: null,
		section: "page",
		off: ["no-notify", "disable-notify"],
		environment: true,
		description: "whether to email testers (default: yes)"
	},
	trusted: {
		value: null,
		section: "key",
		environment: true,
		description: "authenticate with the ID token of the CI service (default if there is no key)"
	},
	"key-stdin": {
		value: null,
		section: "key",
		aliases: ["api-key-stdin"],
		description: "read the API key from standard input"
	},
	comment: {
		value: null,
		section: "review",
		off: ["no-comment"],
		environment: true,
		description: "write one comment on the pull or merge request, which later uploads edit (needs GITHUB_TOKEN or GITLAB_TOKEN)"
	},
	status: {
		value: null,
		section: "review",
		off: ["no-status"],
		environment: true,
		description: "set the commit status slipway/build/PLATFORM/PACKAGE, with a link to the build; it fails if a check failed"
	},
	"pull-request": {
		value: "NUMBER",
		section: "review",
		environment: true,
		description: "the pull or merge request (default: from the CI service)"
	},
	"fail-on": {
		value: "LIST",
		section: "review",
		environment: true,
		description: `exit with 3 after the upload ${failReasons}`
	},
	...originInputs,
	json: {
		value: null,
		section: "output",
		description: "print the server's answer and the outputs as one line of JSON"
	},
	qr: {
		value: null,
		section: "output",
		off: ["no-qr"],
		description: "show the page's QR code (default: on a terminal)"
	},
	quiet: {
		value: null,
		section: "output",
		short: "q",
		description: "only warnings and errors"
	},
	retries: {
		value: "N",
		section: "output",
		description: "retries when the connection breaks or the server answers 429, 502, 503 or 504 (default: 3; for files above 64 MiB, 10 without progress)"
	},
	timeout: {
		value: "SECONDS",
		section: "output",
		description: "fail after this time without data (default: 300)"
	},
	"checks-timeout": {
		value: "SECONDS",
		section: "output",
		description: "wait at most this time for the checks of the server (default: 300)"
	},
	"idempotency-key": {
		value: "KEY",
		section: "output",
		description: "uploads with the same key within a day count once (default: random)"
	},
	help: {
		value: null,
		section: "output",
		short: "h",
		description: "show this help"
	},
	version: {
		value: null,
		section: "output",
		short: "V",
		description: "show the version"
	}
};
var uploadInputs = inputs;
var inputNames = Object.keys(inputs);
var environmentName = (name) => `SLIPWAY_${name.toUpperCase().replaceAll("-", "_")}`;
/** Every spelling of every option, with what it means. */
var optionSpellings = new Map(inputNames.flatMap((name) => [...[name, ...uploadInputs[name].aliases ?? []].map((each) => [each, {
	name,
	on: true
}]), ...(uploadInputs[name].off ?? []).map((each) => [each, {
	name,
	on: false
}])]));
[...optionSpellings.keys()].map((name) => `--${name}`);
var earlierOptionNames = () => inputNames.flatMap((name) => [...uploadInputs[name].aliases ?? [], ...uploadInputs[name].off?.slice(1) ?? []].map((each) => `--${each}`));
var sections = {
	build: "Build",
	page: "Distribution page",
	key: "Credentials",
	review: "Review",
	origin: "Build origin (default: read from GitHub Actions, GitLab, Bitrise, CircleCI, Buildkite, Travis,\nAzure Pipelines, Xcode Cloud, Codemagic, Jenkins; \"\" for none)",
	output: "Options"
};
var termColumns = 29;
/** Describes all options, one paragraph each. */
function describeInputs() {
	return Object.entries(sections).map(([section, title]) => {
		return `${title}:\n${inputNames.filter((name) => uploadInputs[name].section === section).map(describeInput).join("\n")}\n`;
	}).join("\n");
}
function describeInput(name) {
	const { value, short, off, environment, description } = uploadInputs[name];
	const term = `  ${short ? `-${short}, ` : ""}--${name}${off ? `, --${off[0]}` : ""}${value ? ` ${value}` : ""}`;
	const lines = wrap(`${description}${environment ? ` [${environmentName(name)}]` : ""}`, 69);
	const indent = " ".repeat(termColumns);
	return (term.length < termColumns ? term.padEnd(termColumns) : `${term}\n${indent}`) + lines.join(`\n${indent}`);
}
function wrap(text, columns) {
	const lines = [""];
	for (const word of text.split(" ")) {
		const line = lines.at(-1) ?? "";
		if (line.length + 1 + word.length > columns) lines.push(word);
		else lines[lines.length - 1] = line ? `${line} ${word}` : word;
	}
	return lines;
}
// src/commands/uploader/upload-options.ts
/** The uploader's command line. Uses only `node:util`, to keep the single-file bundle free of dependencies. */
var maxRetries = 20;
var maxTimeoutSeconds = 86400;
/** Throws `UsageError` with the name of the option. `signedIn`: the server of a stored login. */
function readUploadOptions(argv, env, signedIn) {
	requireDecodable(argv);
	const given = parse$1(argv, env);
	if (given.flag("help")) return { kind: "help" };
	if (given.flag("version")) return { kind: "version" };
	const file = given.text("file");
	if (!file) throw new UsageError(`Missing file: pass the path of an ${anyPackageExtension}.`);
	const connection = readConnection({
		server: given.option("server") || void 0,
		owner: given.text("owner"),
		"key-stdin": given.flag("key-stdin") ?? false,
		trusted: given.flag("trusted") ?? false
	}, env, signedIn);
	return {
		kind: "upload",
		options: {
			file,
			iosSimulatorZip: given.text("ios-simulator-zip") || null,
			attestation: given.text("attestation") || null,
			symbols: (given.text("symbols") ?? "").split(",").flatMap((path) => path.trim() || []),
			...connection,
			fields: formFields(given, usesIdToken(connection.key, env) ? {} : readCiFacts(env)),
			canContinueLater: Boolean(given.text("idempotency-key")),
			idempotencyKey: readIdempotencyKey(given.text("idempotency-key") || randomUUID()),
			comment: given.flag("comment") ?? false,
			status: given.flag("status") ?? false,
			pullRequest: readPullRequest(given.text("pull-request")),
			failOn: readFailOn(given.text("fail-on") ?? ""),
			retries: readInteger("--retries", given.text("retries"), 0, maxRetries),
			idleTimeoutMs: (readInteger("--timeout", given.text("timeout"), 1, maxTimeoutSeconds) ?? 300) * 1e3,
			checksTimeoutMs: (readInteger("--checks-timeout", given.text("checks-timeout"), 0, maxTimeoutSeconds) ?? 300) * 1e3,
			json: given.flag("json") ?? false,
			quiet: given.flag("quiet") ?? false,
			qr: given.flag("qr")
		}
	};
}
var freeTextOptions = new Set([...optionSpellings].flatMap(([spelling, { name }]) => uploadInputs[name].freeText ? [`--${spelling}`] : []));
/** A commit message may begin with `-`, so the argument after such an option is always its value. */
function joinFreeTexts(argv) {
	const joined = [];
	const rest = argv[Symbol.iterator]();
	for (const word of rest) {
		const name = word === "-m" ? "--message" : word;
		const value = freeTextOptions.has(name) ? rest.next().value : void 0;
		joined.push(value === void 0 ? word : `${name}=${value}`);
		if (word === "--") joined.push(...rest);
	}
	return joined;
}
var parserOptions = Object.fromEntries([...optionSpellings].map(([spelling, { name }]) => {
	const { value, short } = uploadInputs[name];
	return [spelling, {
		type: value === null ? "boolean" : "string",
		...short && spelling === name ? { short } : {}
	}];
}));
function parse$1(argv, env) {
	const { tokens } = parseTokens(argv);
	const options = /* @__PURE__ */ new Map();
	const files = [];
	for (const token of tokens) {
		if (token.kind === "positional") files.push(token.value);
		if (token.kind !== "option") continue;
		const meaning = optionSpellings.get(token.name);
		if (!meaning) continue;
		const { name, on } = meaning;
		const known = options.get(name);
		if (typeof known === "boolean" && known !== on) throw new UsageError(`--${name} and --${uploadInputs[name].off?.[0]} cannot be combined.`);
		if (known !== void 0) throw new UsageError(`--${token.name} was specified more than once.`);
		options.set(name, token.value ?? on);
	}
	if (options.has("file")) files.push(String(options.get("file")));
	if (files.length > 1) throw new UsageError(`Pass one file, not several: ${files.join(", ")}.`);
	if (files[0] !== void 0) options.set("file", files[0]);
	const fromEnv = (name) => uploadInputs[name].environment ? env[environmentName(name)]?.trim() || void 0 : void 0;
	const option = (name) => {
		const value = options.get(name);
		return typeof value === "string" ? value : void 0;
	};
	return {
		option,
		text: (name) => option(name) ?? fromEnv(name),
		flag: (name) => {
			const value = options.get(name);
			return typeof value === "boolean" ? value : readFlag(environmentName(name), fromEnv(name));
		}
	};
}
function parseTokens(argv) {
	const config = {
		args: joinFreeTexts(argv),
		options: parserOptions,
		allowPositionals: true,
		strict: true,
		tokens: true
	};
	try {
		return util.parseArgs(config);
	} catch (error) {
		const [sentence = ""] = error instanceof Error ? error.message.split(/\.\s|\n/) : [];
		throw new UsageError(`${sentence}${/'--(?:api-)?key'/.test(sentence) ? ". The key comes from SLIPWAY_API_KEY or --key-stdin" : ""}.`);
	}
}
function readFlag(name, value) {
	if (value === void 0) return null;
	if (/^(true|1|yes|on)$/i.test(value)) return true;
	if (/^(false|0|no|off)$/i.test(value)) return false;
	throw new UsageError(`${name} must be true or false, not ${value}`);
}
/** An empty value on the command line means "none", and overrides the value from the CI service. */
function formFields(given, ci) {
	const fields = {
		message: given.text("message"),
		distribution_key: given.text("page-key"),
		distribution_name: given.text("page"),
		release_note: given.text("release-notes"),
		disable_notify: given.flag("notify") === false ? "true" : null,
		...buildFieldsBy("name", (field) => given.text(optionOf(field)) ?? ci[field])
	};
	return Object.entries(fields).flatMap(([name, value]) => value ? [{
		name,
		value
	}] : []);
}
/** Reads `install,store,size=5%`. Throws `UsageError`. */
function readFailOn(list) {
	return list.split(",").flatMap((each) => each.trim() || []).map((condition) => {
		if (condition === "install") return { name: "install" };
		const check = checkNames.find((one) => one === condition);
		if (check) return {
			name: "checks",
			check
		};
		const [, most] = /^size=(.+)$/.exec(condition) ?? [];
		const [, percent] = /^(\d+(?:\.\d+)?)\s*%$/.exec(most ?? "") ?? [];
		const bytes = most && !percent ? readByteSize(most) : null;
		if (most && (percent || bytes)) return {
			name: "growth",
			most,
			percent: percent ? Number(percent) : null,
			bytes
		};
		throw new UsageError(`--fail-on must list ${failConditions.join(", ")}, such as store,size or install,size=5%, not ${condition}`);
	});
}
/** Rejects `.` and `..`, which would change the address. The server checks everything else. */
function readOwner(owner) {
	if (!owner) throw new UsageError("Missing --owner: the user or project that the app belongs to.");
	if (/^\.+$/.test(owner)) throw new UsageError(`--owner must be a name, not ${owner}`);
	return owner;
}
function readBaseUrl(address) {
	if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) throw new UsageError(`--server must be an address such as https://apps.example.com, not ${address}`);
	const url = new URL(address);
	if (url.username || url.password) throw new UsageError("--server must not contain a user name or password; use the API key.");
	if (url.search || url.hash) throw new UsageError(`--server must not contain ? or #: ${address}`);
	url.pathname = url.pathname.replace(/(?<!\/)\/*$/, "/");
	return url;
}
/** Reads the server, the owner and where the key comes from. `signedIn`: the server of a stored login. */
function readConnection(given, env, signedIn) {
	const ownServer = env.SLIPWAY_SERVER?.trim() || env.SLIPWAY_URL?.trim();
	const baseUrl = readBaseUrl(given.server || ownServer || signedIn || "http://127.0.0.1:8080");
	return {
		baseUrl,
		owner: readOwner(given.owner || env[environmentName("owner")]?.trim()),
		key: readKeySource(given, {
			...env,
			SLIPWAY_URL: ownServer || baseUrl.origin
		}, baseUrl)
	};
}
/** Without SLIPWAY_URL, the key belongs to the server of `--server`. Throws `UsageError`. */
function readKeySource(given, env, { origin }) {
	if (given["key-stdin"]) return { kind: "stdin" };
	if (given.trusted) return { kind: "trusted" };
	const { key, refusal } = environmentKeyFor({
		...env,
		SLIPWAY_API_KEY: env.SLIPWAY_KEY?.trim() || env.SLIPWAY_API_KEY
	}, origin);
	if (refusal !== null) throw new UsageError(`${refusal}. Set SLIPWAY_URL to that server, or pipe its key in with --key-stdin.`);
	return key === null ? { kind: "none" } : givenKey(key);
}
/**
* The server takes branch, commit and run from the ID token, and refuses others, such as the address of a job where the token
* states that of its pipeline.
*/
var usesIdToken = ({ kind }, env) => kind === "trusted" || kind === "none" && findIdTokens(env, async () => "") !== null;
function readPullRequest(number) {
	if (!number || /^\d{1,12}$/.test(number)) return number || void 0;
	throw new UsageError(`--pull-request must be a number, not ${number}`);
}
/** Throws `UsageError`, which never quotes the key. */
function givenKey(given) {
	const key = given?.trim();
	if (!key) throw new UsageError("No API key: set SLIPWAY_API_KEY, or pipe it in with --key-stdin.");
	if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("The API key contains an invalid character.");
	return {
		kind: "given",
		key
	};
}
function readIdempotencyKey(key) {
	if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
	throw new UsageError("--idempotency-key must have 1 to 255 visible ASCII characters.");
}
function readInteger(option, given, minimum, limit) {
	if (given === void 0) return null;
	const value = /^\d{1,9}$/.test(given) ? Number(given) : NaN;
	if (value >= minimum && value <= limit) return value;
	throw new UsageError(`${option} must be a whole number from ${minimum} to ${limit}, not ${given}`);
}
// src/commands/uploader/credential.ts
/** Finds the key for an upload: the given key, one in exchange for the ID token of CI, or that of a stored login. */
var grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
var idTokenType = "urn:ietf:params:oauth:token-type:id_token";
var maxAttempts$2 = 4;
/** Throws `UsageError` if there is none. */
async function findCredential(target, io) {
	const { key } = target;
	if (key.kind === "given") return fixed(key.key);
	const tokens = findIdTokens(io.env, io.runProgram);
	if (tokens) {
		if (!target.quiet && key.kind === "none") writeLines(io.stderr, `No API key is set: using the ID token of ${tokens.service}.`);
		const exchange = () => exchangeIdToken(tokens, target, io);
		let first;
		const get = () => {
			first ??= exchange();
			return first;
		};
		return {
			get,
			renew: tokens.isRenewable ? exchange : null
		};
	}
	if (key.kind === "trusted") throw new UsageError(`--trusted: this job has no ID token. ${idTokenAdvice(io.env)}`);
	const stored = await storedKey(target.baseUrl, io);
	if (stored === null) throw new UsageError("No API key: set SLIPWAY_API_KEY, pipe it in with --key-stdin, use --trusted in CI, or run slipway login.");
	return fixed(givenKey(stored).key);
}
var fixed = (key) => ({
	get: async () => key,
	renew: null
});
async function storedKey({ origin }, io) {
	try {
		const { servers } = await readCredentials({ environment: io.env });
		return servers[origin]?.token ?? null;
	} catch (error) {
		if (error instanceof SettingsUnavailable) throw new UsageError(error.message);
		throw error;
	}
}
/** Repeats only what did not reach the server or was not decided, with another token where the service issues several. */
async function exchangeIdToken(tokens, target, io) {
	for (let attempt = 1;; attempt += 1) try {
		return await exchangeOnce(await tokens.get(target.baseUrl.origin), target, io);
	} catch (error) {
		if (!(error instanceof UploadError) || !error.isTransient || attempt === maxAttempts$2) throw error;
		await io.pause(1e3 * 2 ** (attempt - 1));
	}
}
async function exchangeOnce(idToken, { baseUrl, owner }, io) {
	mask(idToken, io);
	const answer = await callApi(new URL("oauth/token", baseUrl), {
		method: "POST",
		headers: {
			Accept: "application/json",
			"User-Agent": `slipway-upload/${io.version}`
		},
		body: new URLSearchParams({
			grant_type: grantType,
			subject_token: idToken,
			subject_token_type: idTokenType,
			resource: owner
		})
	});
	const key = textAt(answer.json, "access_token");
	if (answer.status === 200 && key && /^[\x21-\x7e]+$/.test(key)) {
		mask(key, io);
		return key;
	}
	const error = textAt(answer.json, "error");
	const sentence = truncate(printable(textAt(answer.json, "error_description") ?? error ?? ""), 1e3);
	throw new UploadError(sentence ? `${baseUrl.origin} refused the ID token: ${sentence.replaceAll(idToken, "…")} (${answer.status})` : `${baseUrl.origin} answered the exchange of the ID token with ${answer.status}.`, {
		hint: exchangeAdvice(answer.status, error, owner),
		isTransient: answer.status >= 500
	});
}
function exchangeAdvice(status, error, owner) {
	if (error === "unsupported_grant_type" || error === null) return "Check the address of the server, and that its version has trusted publishing. Otherwise, set SLIPWAY_API_KEY.";
	if (status >= 500 || status === 429) return "Try again later.";
	return `Compare the job with the trusted publishers in the settings of ${owner}, and the audience with SLIPWAY_URL of the server.`;
}
/** Hides a secret in the log of GitHub Actions, which reads this command from both outputs and never shows it. */
function mask(secret, io) {
	if (io.env.GITHUB_ACTIONS === "true") writeLines(io.stderr, `::add-mask::${secret}`);
}
// src/commands/pull-request/forge.ts
/** The part of GitHub and GitLab that comments and commit statuses need. */
var maxStatusNameLength = 255;
/** Each app has its own, because one commit often makes builds for several platforms. */
var statusNameOf = (platform, packageName) => truncate(printable(`slipway/build/${platform.toLowerCase()}/${packageName}`), maxStatusNameLength);
var commentsPerPage = 100;
var maxPages = 50;
var maxWaitMs = 6e4;
var maxAttempts$1 = 3;
/** `advice`: what to do after a refusal with this status. */
function createForgeClient(io, api, { token, headers }, advice) {
	if (!/^https?:\/\//.test(api) || !URL.canParse(api)) throw new UploadError(`The address of the API is not valid: ${printable(api)}`);
	const base = new URL(`${api.replace(/(?<!\/)\/+$/, "")}/`);
	const send = async (path, method, body) => {
		const url = new URL(path, base);
		const request = {
			method,
			headers: {
				...headers,
				"User-Agent": `slipway-upload/${io.version}`,
				...body ? { "Content-Type": "application/json" } : {}
			},
			...body ? { body: JSON.stringify(body) } : {}
		};
		for (let attempt = 1;; attempt += 1) {
			const answer = await callApi(url, request);
			const waitMs = waitBeforeRetry(answer, method, attempt);
			if (waitMs === null) return answer;
			if (attempt === maxAttempts$1 || waitMs > maxWaitMs) throw new UploadError(`${base.origin} accepts no more requests for now (${answer.status}); it says to wait ${Math.ceil(waitMs / 1e3)} s.`);
			await io.pause(waitMs);
		}
	};
	const check = (answer, accepted) => {
		const { status, json } = answer;
		if (accepted.includes(status)) return null;
		if (status >= 200 && status < 300) {
			if (json === void 0 && answer.text !== "") throw new UploadError(`${base.origin} answered ${status}, but not with JSON.`);
			return json;
		}
		const said = messageOf(json).replaceAll(token, "…");
		throw new UploadError(`${base.origin} answered ${status}${said ? `: ${said}` : ""}`, { ...advice(status) ? { hint: advice(status) } : {} });
	};
	return {
		call: async (path, { method, body, accepted = [] } = { method: "GET" }) => check(await send(path, method, body), accepted),
		async *list(path) {
			for (let page = 1; page <= maxPages; page += 1) {
				const items = check(await send(`${path}?per_page=${commentsPerPage}&page=${page}`, "GET"), []);
				if (!Array.isArray(items)) throw new UploadError(`${base.origin} did not answer with a list.`);
				yield* items;
				if (items.length < commentsPerPage) return;
			}
		}
	};
}
/** Null if the answer is final. A repeated POST could have an effect twice. */
function waitBeforeRetry({ status, headers }, method, attempt) {
	const after = Number(headers.get("retry-after") ?? NaN);
	const isLimited = status === 403 && (headers.get("x-ratelimit-remaining") === "0" || after >= 0);
	if (status === 429 || isLimited) {
		const resetAt = Number(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset") ?? NaN);
		if (after >= 0) return after * 1e3;
		return resetAt > 0 ? Math.max(resetAt * 1e3 - Date.now(), 1e3) : 1e3 * 2 ** attempt;
	}
	return [
		502,
		503,
		504
	].includes(status) && method !== "POST" ? 1e3 * 2 ** attempt : null;
}
function messageOf(json) {
	const { message, error } = asRecord(json);
	const said = message ?? error;
	return truncate(printable(typeof said === "string" ? said : said === void 0 ? "" : JSON.stringify(said)), 300);
}
var asRecord = (value) => typeof value === "object" && value !== null ? { ...value } : {};
// src/commands/uploader/upload-retry.ts
/** Retries uploads. This is safe because all attempts have the same Idempotency-Key, for which the server returns the first result. */
var transientStatuses$1 = /* @__PURE__ */ new Set([
	429,
	502,
	503,
	504
]);
var firstPauseMs = 1e3;
var maxPauseMs = 3e4;
/**
* Runs `attempt` until it returns a final answer. Pauses for 1, 2, 4 … s, at most 30 s, or for the server's Retry-After if that
* is longer. Throws the last `UploadError`.
*/
async function uploadWithRetries(attempt, plan) {
	for (let number = 1;; number += 1) {
		const outcome = await attempt().catch((error) => {
			if (error instanceof UploadError) return error;
			throw error;
		});
		const reason = transientReason(outcome);
		const askedMs = outcome instanceof UploadError ? 0 : retryAfterMs(outcome.retryAfter);
		if (reason === null || plan.isFinal?.() || number > plan.retries || askedMs > 12e4) {
			if (outcome instanceof UploadError) throw outcome;
			return outcome;
		}
		const pauseMs = Math.max(backoffMs(number), askedMs);
		plan.onRetry({
			reason,
			pauseMs,
			number
		});
		await plan.pause(pauseMs);
	}
}
/** `number`: of the retry, from 1. */
var backoffMs = (number) => Math.min(firstPauseMs * 2 ** (number - 1), maxPauseMs);
function transientReason(outcome) {
	if (outcome instanceof UploadError) return outcome.isTransient ? outcome.message : null;
	return transientStatuses$1.has(outcome.status) ? `The server answered ${outcome.status}.` : null;
}
/** Supports only seconds. RFC 9110, 10.2.3 also allows a date, which would need synchronized clocks. */
function retryAfterMs(header) {
	return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1e3 : 0;
}
// src/commands/uploader/await-checks.ts
/** Waits until the server has analyzed an uploaded build, and reads the results of its checks. */
var unknown = (reason, isUnsupported = false) => ({
	findings: null,
	reason,
	isUnsupported
});
var maxLineLength = 500;
/** Asks again after 1, 2, 4 … s, at most 30 s. `onWait` is called once, if the results are not there at once. */
async function awaitChecks(uploaded, options, { credential, io, onWait }) {
	const address = checksAddress(uploaded, options);
	if (!address) return unknown("The server did not say which build it stored.", true);
	const startedAt = io.now();
	let key = await credential.get();
	let { renew } = credential;
	for (let number = 1;; number += 1) {
		let read = await readChecks(address, key, io);
		if (read === "key-refused" && renew) {
			const another = await renew().catch(toReason);
			if (typeof another !== "string") return another;
			key = another;
			renew = null;
			read = await readChecks(address, key, io);
		}
		if (read === "key-refused") return unknown("The server no longer accepts the key (401).");
		if (!("waitsBecause" in read)) return read;
		if (number === 1) await onWait();
		const pauseMs = backoffMs(number);
		if (io.now() - startedAt + pauseMs > options.checksTimeoutMs) return unknown(`${read.waitsBecause} after ${formatSeconds(options.checksTimeoutMs / 1e3)} (--checks-timeout).`);
		await io.pause(pauseMs);
	}
}
function checksAddress({ json, outputs }, { baseUrl, owner }) {
	const [platform, packageName] = ["os_name", "package_name"].map((name) => textAt(json.results, name));
	if (!platform || !packageName || outputs.revision === null) return null;
	const path = [
		"apps",
		owner,
		platform.toLowerCase(),
		packageName,
		"builds",
		String(outputs.revision)
	];
	return new URL(`api/v1/${path.map(encodeURIComponent).join("/")}/checks`, baseUrl);
}
async function readChecks(address, key, io) {
	const headers = {
		Accept: "application/json",
		Authorization: `Bearer ${key}`,
		"User-Agent": `slipway-upload/${io.version}`
	};
	try {
		const answer = await callApi(address, { headers });
		return answer.status === 401 ? "key-refused" : readAnswer$1(answer, address.origin);
	} catch (error) {
		return error instanceof UploadError && error.isTransient ? { waitsBecause: printable(error.message).replace(/\.$/, "") } : toReason(error);
	}
}
function toReason(error) {
	if (error instanceof UploadError) return unknown(printable(error.message));
	throw error;
}
function readAnswer$1({ status, json }, origin) {
	if (status === 429 || status >= 500) return { waitsBecause: `${origin} answered ${status}` };
	const state = textAt(json, "state");
	if (status === 404 || status === 200 && state === null) return unknown("The server has no checks of this build: it needs a newer version of Slipway.", true);
	if (status !== 200) return unknown(`The server does not show the checks: ${truncate(printable(textAt(json, "detail") ?? ""), maxLineLength) || "it answered"} (${status}).`);
	if (state === "waiting") return { waitsBecause: "The build was not analyzed" };
	if (state !== "analyzed") return unknown("The package could not be analyzed.");
	const { checks } = json;
	return { findings: Array.isArray(checks) ? checks.flatMap(readFinding) : [] };
}
function readFinding(check) {
	const text = (of, name) => truncate(printable(textAt(of, name) ?? ""), maxLineLength);
	const state = checkStates.find((one) => one === textAt(check, "state"));
	if (!state) return [];
	const { acceptance } = check;
	const own = namedChecks[text(check, "id")];
	return [{
		names: [text(check, "category"), ...own === void 0 ? [] : [own]],
		state,
		line: text(check, "line"),
		acceptance: acceptance ? {
			by: text(acceptance, "by"),
			reason: text(acceptance, "reason")
		} : null
	}];
}
var stateNames = {
	failed: ["Failed", "failed"],
	warned: ["Warning", "with a warning"],
	not_analyzed: ["Not analyzed", "not analyzed"],
	accepted: ["Accepted", "accepted"],
	passed: ["Passed", "passed"]
};
/** What did not pass, the worst first, such as `Failed: Target API level 36 or higher: The build targets 35.` */
function findingLines(findings) {
	return checkStates.filter((state) => state !== "passed").flatMap((state) => findings.filter((finding) => finding.state === state)).map(({ state, line, acceptance }) => {
		const [label] = stateNames[state];
		return acceptance ? `${label} by ${acceptance.by}: ${line} Reason: ${acceptance.reason}` : `${label}: ${line}`;
	});
}
/** For example `1 failed, 2 passed`; null without checks. */
function countFindings(findings) {
	const counts = checkStates.flatMap((state) => {
		const count = findings.filter((finding) => finding.state === state).length;
		return count > 0 ? `${count} ${stateNames[state][1]}` : [];
	});
	return counts.length > 0 ? counts.join(", ") : null;
}
// src/commands/pull-request/comment-markdown.ts
/**
* The comment on a pull request: one table, one row per platform and page. Each row is also stored in the comment as data, from
* which the next upload writes the whole comment again.
*/
/** Comments begin with it. */
var commentMarker = "<!-- slipway:pull-request -->";
var rowMark = /<!-- slipway:row ([A-Za-z0-9+/=]+) -->/g;
/** GitHub accepts 65,536 characters. */
var maxRows = 20;
var maxFindings = 5;
var maxTextLength = 120;
var maxFindingLength = 300;
var maxUrlLength = 500;
/** Reads what another upload has written. Anyone who can edit the comment could have changed it. */
function readRows(body) {
	return [...body.matchAll(rowMark)].flatMap(([, data = ""]) => {
		try {
			return [rowOf(JSON.parse(Buffer.from(data, "base64").toString("utf8")))];
		} catch {
			return [];
		}
	});
}
function rowOf(value) {
	const text = (name) => truncate(printable(String(value[name] ?? "")), maxTextLength);
	const integer = (name) => Number.isSafeInteger(value[name]) ? Number(value[name]) : null;
	const texts = (name) => [value[name] ?? []].flat().slice(0, maxFindings).map((each) => truncate(printable(String(each)), maxFindingLength));
	const url = (name) => webAddress$1(value[name]);
	return {
		key: String(value.key).slice(0, 2 * maxUrlLength),
		platform: text("platform"),
		app: text("app"),
		version: text("version"),
		revision: integer("revision") ?? 0,
		page: value.page === null ? null : text("page"),
		buildUrl: url("buildUrl"),
		pageUrl: url("pageUrl"),
		qrUrl: url("qrUrl"),
		size: integer("size"),
		sizeChange: integer("sizeChange"),
		problems: texts("problems"),
		checks: text("checks") || null,
		findings: texts("findings"),
		notes: texts("notes"),
		commit: value.commit === null ? null : text("commit"),
		closed: value.closed === true
	};
}
/** With the characters encoded that end a link or a cell of a table. */
function webAddress$1(value) {
	if (typeof value !== "string" || value.length > maxUrlLength || !/^https?:\/\//i.test(value)) return null;
	if (!URL.canParse(value)) return null;
	const encode = (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
	return new URL(value).href.replace(/["'()<>[\]\\`|*_~]/g, (mark) => mark === "_" ? mark : encode(mark));
}
/** A later revision replaces an earlier one with the same key, and a repeated job the row of the first. */
function mergeRows(rows) {
	const byKey = /* @__PURE__ */ new Map();
	for (const row of rows) {
		const known = byKey.get(row.key);
		const isRepeated = known?.revision === row.revision && (row.closed || !known.closed);
		if (!known || known.revision < row.revision || isRepeated) byKey.set(row.key, row);
	}
	const newest = [...byKey.values()].sort((one, other) => other.revision - one.revision).slice(0, maxRows);
	const order = ({ platform, app, page, key }) => `${platform}\n${app}\n${page}\n${key}`;
	return newest.sort((one, other) => order(one) < order(other) ? -1 : 1);
}
/** Returns a normalized row, as it will be read again. */
var newRow = (row) => rowOf({ ...row });
/** The same for the same rows, so that two uploads at once write the same comment. */
function commentBody({ rows, closed }, noun) {
	const data = rows.map((row) => `<!-- slipway:row ${Buffer.from(JSON.stringify(row)).toString("base64")} -->`);
	const end = closed ? `\n\nThis ${noun} is closed.` : "";
	return `${commentMarker}\n${data.join("\n")}\n\n### Builds of this ${noun}\n\n${rowsTable(rows)}${end}\n`;
}
function rowsTable(rows) {
	const findings = rows.flatMap((row) => {
		const of = rows.length > 1 ? `${code(row.app)} (${code(row.platform)}): ` : "";
		return [
			...row.problems.map((each) => `- **Cannot be installed:** ${of}${code(each)}`),
			...row.findings.map((each) => `- ${of}${code(each)}`),
			...row.notes.map((each) => `- ${of}${code(each)}`)
		];
	});
	return [
		"| App | Build | Size | Checks | Install |",
		"|---|---|---|---|---|",
		...rows.map(tableRow),
		...findings.length > 0 ? ["", ...findings] : []
	].join("\n");
}
function tableRow(row) {
	const version = code(`${row.version}, revision ${row.revision}`);
	const build = row.buildUrl ? `[${version}](${row.buildUrl})` : version;
	return `| ${[
		`${code(row.app)}<br>${code(row.platform)}`,
		row.commit ? `${build}<br>${code(row.commit.slice(0, 12))}` : build,
		`${row.size === null ? "" : formatBytes(row.size)}${changeOf(row)}`,
		checksCell(row),
		installCell(row)
	].join(" | ")} |`;
}
function changeOf({ sizeChange }) {
	if (sizeChange === null) return "";
	return sizeChange === 0 ? "<br>±0" : `<br>${sizeChange > 0 ? "+" : "−"}${formatBytes(Math.abs(sizeChange))}`;
}
function checksCell({ checks, buildUrl }) {
	if (checks === null) return "";
	return buildUrl ? `[${code(checks)}](${buildUrl}/checks)` : code(checks);
}
function installCell({ page, pageUrl, qrUrl, closed }) {
	if (!pageUrl) return "";
	const name = page ? code(page) : "Open";
	if (closed) return `${name}<br>Page closed`;
	return `[${name}](${pageUrl})${qrUrl ? `<br><img src="${qrUrl}" width="120" alt="QR code">` : ""}`;
}
/**
* Shows a text from a package or another person as code, where neither Markdown nor HTML, mentions, references or links have an
* effect. The characters that could end it are replaced by similar ones.
*/
var code = (text) => `\`${printable(text).replaceAll("`", "ˋ").replaceAll("|", "¦").replaceAll("\\", "⧵") || "–"}\``;
// src/commands/pull-request/github.ts
/** https://docs.github.com/en/rest: `/issues/{number}/comments` are the comments of a pull request, too. */
/** `event`: the payload of the event that started the job. */
function github(io, given, event) {
	const { env } = io;
	const { GITHUB_REPOSITORY: repository = "", GITHUB_REF: ref = "" } = env;
	if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new UploadError(`GITHUB_REPOSITORY is not the name of a repository: ${printable(repository)}`);
	const token = (env.SLIPWAY_COMMENT_TOKEN || env.GITHUB_TOKEN)?.trim();
	if (!token) throw new UploadError("GITHUB_TOKEN is not set.", { hint: "Give it to the step: env: GITHUB_TOKEN: ${{ github.token }}" });
	const pull = asRecord(asRecord(event).pull_request);
	const number = given || String(pull.number ?? /^refs\/pull\/(\d+)\//.exec(ref)?.[1] ?? "");
	const headCommit = asRecord(pull.head).sha;
	const commit = typeof headCommit === "string" ? headCommit : env.GITHUB_SHA;
	const path = `repos/${repository}`;
	const api = createForgeClient(io, env.GITHUB_API_URL || "https://api.github.com", {
		token,
		headers: {
			Authorization: `Bearer ${token}`,
			Accept: "application/vnd.github+json",
			"X-GitHub-Api-Version": "2022-11-28"
		}
	}, (status) => {
		if (status === 401) return "Check GITHUB_TOKEN.";
		if (status === 403 || status === 404) return "The job needs \"pull-requests: write\" for comments and \"statuses: write\" for a commit status; jobs of forks get neither.";
	});
	const numbered = () => {
		if (/^\d{1,12}$/.test(number)) return number;
		throw new UploadError("This is no job of a pull request.", { hint: "Run it on pull_request, or set --pull-request NUMBER." });
	};
	/** A token of a job cannot ask who it is, and its comments are those of a bot. */
	const isOwn = async () => {
		const me = asRecord(await api.call("user", {
			method: "GET",
			accepted: [403]
		})).id;
		return (user) => me === void 0 ? user.type === "Bot" : user.id === me;
	};
	return {
		noun: "pull request",
		commit: commit ?? null,
		async listOwn(marker) {
			const own = [];
			const isMine = await isOwn();
			for await (const item of api.list(`${path}/issues/${numbered()}/comments`)) {
				const { id, body, user } = asRecord(item);
				if (typeof body === "string" && body.startsWith(marker) && isMine(asRecord(user))) own.push({
					id: String(id),
					body
				});
			}
			return own.sort((one, other) => Number(one.id) - Number(other.id));
		},
		create: async (body) => void await api.call(`${path}/issues/${numbered()}/comments`, {
			method: "POST",
			body: { body }
		}),
		edit: async (id, body) => void await api.call(`${path}/issues/comments/${id}`, {
			method: "PATCH",
			body: { body },
			accepted: [404]
		}),
		remove: async (id) => void await api.call(`${path}/issues/comments/${id}`, {
			method: "DELETE",
			accepted: [404]
		}),
		async setStatus({ name, state, description, url }) {
			if (!commit) throw new UploadError("GITHUB_SHA is not set.");
			const body = {
				state: state === "failed" ? "failure" : state,
				context: name,
				description: description.slice(0, 140),
				...url ? { target_url: url } : {}
			};
			await api.call(`${path}/statuses/${encodeURIComponent(commit)}`, {
				method: "POST",
				body
			});
		}
	};
}
// src/commands/pull-request/gitlab.ts
/** https://docs.gitlab.com/api/: notes of merge requests, and commit statuses. */
function gitlab(io, given) {
	const { env } = io;
	const token = (env.SLIPWAY_COMMENT_TOKEN || env.GITLAB_TOKEN)?.trim();
	if (!token) throw new UploadError("GITLAB_TOKEN is not set, and GitLab does not let CI_JOB_TOKEN write comments.", { hint: "Create a project access token with the scope api, and store it as the variable GITLAB_TOKEN (or SLIPWAY_COMMENT_TOKEN)." });
	const project = encodeURIComponent(env.CI_PROJECT_ID ?? "");
	const target = encodeURIComponent(env.CI_MERGE_REQUEST_PROJECT_ID || (env.CI_PROJECT_ID ?? ""));
	const number = given || env.CI_MERGE_REQUEST_IID || "";
	const commit = env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA;
	const api = createForgeClient(io, env.CI_API_V4_URL || "https://gitlab.com/api/v4", {
		token,
		headers: {
			"PRIVATE-TOKEN": token,
			Accept: "application/json"
		}
	}, (status) => {
		if (status !== 401 && status !== 403 && status !== 404) return void 0;
		return "Check that GITLAB_TOKEN has the scope api and at least the role Developer in this project.";
	});
	const notes = () => {
		if (/^\d{1,12}$/.test(number)) return `projects/${target}/merge_requests/${number}/notes`;
		throw new UploadError("This is no job of a merge request.", { hint: "Run it in merge request pipelines, or set --pull-request NUMBER." });
	};
	return {
		noun: "merge request",
		commit: commit ?? null,
		async listOwn(marker) {
			const own = [];
			const me = asRecord(await api.call("user")).id;
			for await (const item of api.list(notes())) {
				const { id, body, author } = asRecord(item);
				if (typeof body === "string" && body.startsWith(marker) && asRecord(author).id === me) own.push({
					id: String(id),
					body
				});
			}
			return own.sort((one, other) => Number(one.id) - Number(other.id));
		},
		create: async (body) => void await api.call(notes(), {
			method: "POST",
			body: { body }
		}),
		edit: async (id, body) => void await api.call(`${notes()}/${id}`, {
			method: "PUT",
			body: { body },
			accepted: [404]
		}),
		remove: async (id) => void await api.call(`${notes()}/${id}`, {
			method: "DELETE",
			accepted: [404]
		}),
		async setStatus({ name, state, description, url }) {
			if (!commit) throw new UploadError("CI_COMMIT_SHA is not set.");
			const body = {
				state,
				name,
				description: description.slice(0, 255),
				...url ? { target_url: url } : {}
			};
			const accepted = state === "pending" ? [400] : [];
			const path = `projects/${project}/statuses/${encodeURIComponent(commit)}`;
			await api.call(path, {
				method: "POST",
				body,
				accepted
			});
		}
	};
}
// src/commands/pull-request/update-comment.ts
/** Keeps one comment per pull request, which several uploads can change at once. */
var maxAttempts = 6;
/** Longer than the moment between reading and writing of another upload. */
var settleMs = 1500;
/**
* Adds the row to the comment, or creates it. Neither forge can edit on a condition: so every writer waits and reads again what
* others may have overwritten, and comments that were created at once become the oldest.
*/
async function putRow(forge, row, io) {
	for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
		const own = await forge.listOwn(commentMarker);
		const body = commentBody({
			rows: mergeRows([...own.flatMap(({ body }) => readRows(body)), row]),
			closed: false
		}, forge.noun);
		const [first, ...others] = own;
		if (!first) await forge.create(body);
		else if (first.body.trim() !== body.trim()) await forge.edit(first.id, body);
		else if (others.length === 0) return;
		for (const { id } of others) await forge.remove(id);
		await io.pause(settleMs + Math.random() * settleMs);
	}
	throw new UploadError("The comment was changed by others each time; it may not show this build.");
}
/** Says in the comment that the pull request is closed. Returns its rows, of which `close` closes the pages; null without one. */
async function markClosed(forge, close) {
	const own = await forge.listOwn(commentMarker);
	const [first, ...others] = own;
	if (!first) return null;
	const rows = [];
	for (const row of mergeRows(own.flatMap(({ body }) => readRows(body)))) rows.push({
		...row,
		closed: row.closed || await close(row)
	});
	await forge.edit(first.id, commentBody({
		rows,
		closed: true
	}, forge.noun));
	for (const { id } of others) await forge.remove(id);
	return rows;
}
// src/commands/pull-request/review-upload.ts
/** Reports an upload to its pull request and to the summary of its job. */
/** Throws `UploadError` if this is no job of a pull request, or there is no token. `number`: of the option. */
async function findForge(io, number) {
	const { env } = io;
	if (env.GITLAB_CI || env.CI_MERGE_REQUEST_IID) return gitlab(io, number);
	if (!env.GITHUB_REPOSITORY) throw new UploadError("This is neither a job of GitHub nor of GitLab.", { hint: "For GitHub, set GITHUB_REPOSITORY, GITHUB_TOKEN and SLIPWAY_PULL_REQUEST." });
	return github(io, number, env.GITHUB_EVENT_PATH ? await readEvent$1(env.GITHUB_EVENT_PATH) : null);
}
async function readEvent$1(path) {
	try {
		return JSON.parse(await readFile(path, "utf8"));
	} catch {
		return null;
	}
}
var dayMs = 864e5;
var soonDays = 30;
/** Says that the checks are not done yet, if a commit status is wanted. */
async function reportPending(uploaded, options, { warn, io }) {
	if (options.status) await attempt("No commit status", warn, () => setStatus(uploaded, options, {
		state: "pending",
		description: "Waiting for the checks",
		url: null
	}, io));
}
/**
* Writes the comment and the commit status if they are wanted. `failed`: what `--fail-on` says. The status fails with it, and if a
* check failed that nobody has accepted.
*/
async function reviewUpload(uploaded, options, { checks, failed, warn, io }) {
	if (options.comment) await attempt("No comment on the pull request", warn, async () => {
		const forge = await findForge(io, options.pullRequest);
		await putRow(forge, rowOfUpload(uploaded, options, {
			checks,
			headCommit: forge.commit
		}), io);
	});
	if (options.status) await attempt("No commit status", warn, async () => {
		const findings = checks?.findings ?? [];
		const failedCheck = findings.find(({ state }) => state === "failed");
		const reason = failed[0] ?? failedCheck?.line;
		const count = countFindings(findings);
		const success = count === null ? uploaded.summary : `${uploaded.summary}. Checks: ${count}`;
		const state = reason ? "failed" : "success";
		const { build_url: build } = uploaded.outputs;
		const url = failedCheck && build ? `${build}/checks` : null;
		await setStatus(uploaded, options, {
			state,
			description: reason ?? success,
			url
		}, io);
	});
}
var attempt = async (what, warn, work) => work().catch((error) => {
	if (!(error instanceof UploadError)) throw error;
	const { hint } = error;
	warn(new UploadError(`${what}: ${error.message}`, hint === null ? {} : { hint }));
});
async function setStatus({ json, outputs }, { pullRequest }, { url, ...status }, io) {
	const results = asRecord(json.results);
	const name = statusNameOf(textAt(results, "os_name") ?? "", textAt(results, "package_name") ?? "");
	await (await findForge(io, pullRequest)).setStatus({
		...status,
		name,
		url: url ?? outputs.page_url ?? outputs.build_url
	});
}
/** The table of the upload, for the summary of a job. */
var summaryOf = (uploaded, options, checks) => `${rowsTable([rowOfUpload(uploaded, options, {
	checks,
	headCommit: null
})])}\n`;
function rowOfUpload(uploaded, options, { checks, headCommit }) {
	const { outputs, json, warnings } = uploaded;
	const results = asRecord(json.results);
	const page = asRecord(results.distribution);
	const name = textAt(results, "name") ?? textAt(results, "package_name") ?? "";
	const platform = textAt(results, "os_name") ?? "";
	const code = textAt(results, "version_code");
	const expiresAt = Date.parse(textAt(results, "profile_expires_at") ?? "");
	const days = Math.floor((expiresAt - Date.now()) / dayMs);
	const problems = outputs.install_problems.map(printable);
	return newRow({
		key: [
			options.baseUrl.origin,
			options.owner,
			platform,
			results.package_name,
			page.access_key ?? ""
		].join(" "),
		platform,
		app: name,
		version: [textAt(results, "version_name"), code && `(${code})`].filter(Boolean).join(" "),
		revision: outputs.revision ?? 0,
		page: textAt(page, "title"),
		buildUrl: outputs.build_url,
		pageUrl: outputs.page_url,
		qrUrl: outputs.qr_url,
		size: outputs.size,
		sizeChange: outputs.size_change,
		problems,
		checks: checks?.findings ? countFindings(checks.findings) : null,
		findings: findingLines(checks?.findings ?? []),
		notes: [...warnings.filter((warning) => !problems.includes(warning)), ...days >= 0 && days <= soonDays ? [`The provisioning profile expires on ${new Date(expiresAt).toISOString().slice(0, 10)}.`] : []],
		commit: headCommit ?? options.fields.find(({ name: field }) => field === "commit")?.value ?? null,
		closed: false
	});
}
// src/commands/pull-request/pull-request-command.ts
/** `slipway pull-request closed`: says so in the comment of the uploads, and can close their pages. */
var options = {
	"close-pages": { type: "boolean" },
	owner: {
		type: "string",
		short: "o"
	},
	server: {
		type: "string",
		short: "u"
	},
	page: { type: "string" },
	"pull-request": { type: "string" },
	json: { type: "boolean" },
	help: {
		type: "boolean",
		short: "h"
	}
};
var help = (command) => `Report to the comment of the uploads that the pull request is closed.

Usage: ${command} closed [options]

  --close-pages              close the pages of the pull request's branch, which nobody can then
                             install from; needs a key with the scope manage
  -o, --owner OWNER          the owner of the pages [SLIPWAY_OWNER]
  -u, --server URL           the server [SLIPWAY_SERVER, SLIPWAY_URL]
  --page NAME                the name of the pages (default: the branch) [SLIPWAY_PAGE]
  --pull-request NUMBER      default: from the CI service [SLIPWAY_PULL_REQUEST]
  --json                     print the closed pages as one line of JSON
  -h, --help                 show this help

GITHUB_TOKEN or GITLAB_TOKEN must be allowed to write comments. Exits with 0, also if there is no
comment; 1 on errors; 2 for a usage error.
`;
/** `argv` excludes the command's name. Resolves to the exit code. */
async function runPullRequest(argv, io) {
	try {
		requireDecodable(argv);
		const { values, positionals } = parse(argv);
		if (values.help || argv.length === 0) {
			draw(io.stdout, help(io.command));
			return 0;
		}
		if (positionals.join(" ") !== "closed") throw new UsageError("The only action is: closed.");
		return await close(values, io);
	} catch (error) {
		if (!(error instanceof UsageError || error instanceof UploadError)) throw error;
		writeLines(io.stderr, printable(error.message));
		if (error instanceof UploadError && error.hint) writeLines(io.stderr, `  ${printable(error.hint)}`);
		if (error instanceof UsageError) writeLines(io.stderr, `Try ${io.command} --help`);
		return error instanceof UsageError ? 2 : 1;
	}
}
function parse(argv) {
	try {
		return util.parseArgs({
			args: [...argv],
			options,
			allowPositionals: true
		});
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}
async function close(values, io) {
	const { env } = io;
	const number = values["pull-request"] || env.SLIPWAY_PULL_REQUEST;
	const closePage = values["close-pages"] ? await pageCloser(values, io) : async () => false;
	const forge = await findForge(io, number);
	const rows = await markClosed(forge, closePage);
	const pages = (rows ?? []).flatMap(({ closed, pageUrl }) => closed && pageUrl ? [pageUrl] : []);
	if (values.json) writeJson(io.stdout, {
		commented: rows !== null,
		closed_pages: pages
	});
	else if (rows === null) writeLines(io.stdout, `No upload has commented on this ${forge.noun}.`);
	else writeLines(io.stdout, `The comment says that this ${forge.noun} is closed.`, ...pages.map((url) => `Closed ${url}`));
	return 0;
}
/**
* Closes only pages of the owner that have the name of the branch: anyone who can edit the comment could have added the page of
* a release.
*/
async function pageCloser(values, io) {
	const { baseUrl, owner, key: source } = readConnection(values, io.env);
	const name = values.page || io.env.SLIPWAY_PAGE?.trim() || readCiFacts(io.env).branch;
	if (!name) throw new UsageError("Missing --page: the name of the pages to close.");
	const key = await (await findCredential({
		baseUrl,
		owner,
		quiet: true,
		key: source
	}, io)).get();
	return async ({ pageUrl }) => {
		const url = pageUrl && URL.canParse(pageUrl) ? new URL(pageUrl) : null;
		const [, page] = /\/distributions\/([0-9a-f]{40})$/.exec(url?.pathname ?? "") ?? [];
		if (!page || url?.origin !== baseUrl.origin) return false;
		const address = new URL(`api/v1/pages/${page}`, baseUrl);
		const headers = {
			Authorization: `Bearer ${key}`,
			"Content-Type": "application/json"
		};
		const shown = await callApi(address, { headers });
		const { app, name: pageName } = asRecord(shown.json);
		if (shown.status === 404 || asRecord(app).owner !== owner || pageName !== name) return false;
		const changed = await callApi(address, {
			method: "PATCH",
			headers,
			body: JSON.stringify({ active: false })
		});
		if (changed.status === 200) return true;
		const { detail, title } = asRecord(changed.json);
		throw new UploadError(`The page ${name} was not closed: ${detail ?? title ?? changed.status}`, { hint: "The key needs the scope manage for this owner." });
	};
}
// node_modules/uqr/dist/index.mjs
var QrCodeDataType = /* @__PURE__ */ ((QrCodeDataType2) => {
	QrCodeDataType2[QrCodeDataType2["Border"] = -1] = "Border";
	QrCodeDataType2[QrCodeDataType2["Data"] = 0] = "Data";
	QrCodeDataType2[QrCodeDataType2["Function"] = 1] = "Function";
	QrCodeDataType2[QrCodeDataType2["Position"] = 2] = "Position";
	QrCodeDataType2[QrCodeDataType2["Timing"] = 3] = "Timing";
	QrCodeDataType2[QrCodeDataType2["Alignment"] = 4] = "Alignment";
	return QrCodeDataType2;
})(QrCodeDataType || {});
var LOW = [0, 1];
var MEDIUM = [1, 0];
var QUARTILE = [2, 3];
var HIGH = [3, 2];
var EccMap = {
	L: LOW,
	M: MEDIUM,
	Q: QUARTILE,
	H: HIGH
};
var NUMERIC_REGEX = /^\d*$/;
var ALPHANUMERIC_REGEX = /^[A-Z0-9 $%*+./:-]*$/;
var ALPHANUMERIC_CHARSET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
var MIN_VERSION = 1;
var MAX_VERSION = 40;
var PENALTY_N1 = 3;
var PENALTY_N2 = 3;
var PENALTY_N3 = 40;
var PENALTY_N4 = 10;
var ECC_CODEWORDS_PER_BLOCK = [
	[
		-1,
		7,
		10,
		15,
		20,
		26,
		18,
		20,
		24,
		30,
		18,
		20,
		24,
		26,
		30,
		22,
		24,
		28,
		30,
		28,
		28,
		28,
		28,
		30,
		30,
		26,
		28,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30
	],
	[
		-1,
		10,
		16,
		26,
		18,
		24,
		16,
		18,
		22,
		22,
		26,
		30,
		22,
		22,
		24,
		24,
		28,
		28,
		26,
		26,
		26,
		26,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28,
		28
	],
	[
		-1,
		13,
		22,
		18,
		26,
		18,
		24,
		18,
		22,
		20,
		24,
		28,
		26,
		24,
		20,
		30,
		24,
		28,
		28,
		26,
		30,
		28,
		30,
		30,
		30,
		30,
		28,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30
	],
	[
		-1,
		17,
		28,
		22,
		16,
		22,
		28,
		26,
		26,
		24,
		28,
		24,
		28,
		22,
		24,
		24,
		30,
		28,
		28,
		26,
		28,
		30,
		24,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30,
		30
	]
];
var NUM_ERROR_CORRECTION_BLOCKS = [
	[
		-1,
		1,
		1,
		1,
		1,
		1,
		2,
		2,
		2,
		2,
		4,
		4,
		4,
		4,
		4,
		6,
		6,
		6,
		6,
		7,
		8,
		8,
		9,
		9,
		10,
		12,
		12,
		12,
		13,
		14,
		15,
		16,
		17,
		18,
		19,
		19,
		20,
		21,
		22,
		24,
		25
	],
	[
		-1,
		1,
		1,
		1,
		2,
		2,
		4,
		4,
		4,
		5,
		5,
		5,
		8,
		9,
		9,
		10,
		10,
		11,
		13,
		14,
		16,
		17,
		17,
		18,
		20,
		21,
		23,
		25,
		26,
		28,
		29,
		31,
		33,
		35,
		37,
		38,
		40,
		43,
		45,
		47,
		49
	],
	[
		-1,
		1,
		1,
		2,
		2,
		4,
		4,
		6,
		6,
		8,
		8,
		8,
		10,
		12,
		16,
		12,
		17,
		16,
		18,
		21,
		20,
		23,
		23,
		25,
		27,
		29,
		34,
		34,
		35,
		38,
		40,
		43,
		45,
		48,
		51,
		53,
		56,
		59,
		62,
		65,
		68
	],
	[
		-1,
		1,
		1,
		2,
		4,
		4,
		4,
		5,
		6,
		8,
		8,
		11,
		11,
		16,
		16,
		18,
		16,
		19,
		21,
		25,
		25,
		25,
		34,
		30,
		32,
		35,
		37,
		40,
		42,
		45,
		48,
		51,
		54,
		57,
		60,
		63,
		66,
		70,
		74,
		77,
		81
	]
];
var QrCode = class {
	constructor(version, ecc, dataCodewords, msk) {
		this.version = version;
		this.ecc = ecc;
		if (version < MIN_VERSION || version > MAX_VERSION) throw new RangeError("Version value out of range");
		if (msk < -1 || msk > 7) throw new RangeError("Mask value out of range");
		this.size = version * 4 + 17;
		const row = Array.from({ length: this.size }).fill(false);
		for (let i = 0; i < this.size; i++) {
			this.modules.push(row.slice());
			this.types.push(row.map(() => 0));
		}
		this.drawFunctionPatterns();
		const allCodewords = this.addEccAndInterleave(dataCodewords);
		this.drawCodewords(allCodewords);
		if (msk === -1) {
			let minPenalty = 1e9;
			for (let i = 0; i < 8; i++) {
				this.applyMask(i);
				this.drawFormatBits(i);
				const penalty = this.getPenaltyScore();
				if (penalty < minPenalty) {
					msk = i;
					minPenalty = penalty;
				}
				this.applyMask(i);
			}
		}
		this.mask = msk;
		this.applyMask(msk);
		this.drawFormatBits(msk);
	}
	size;
	mask;
	modules = [];
	types = [];
	getModule(x, y) {
		return x >= 0 && x < this.size && y >= 0 && y < this.size && this.modules[y][x];
	}
	drawFunctionPatterns() {
		for (let i = 0; i < this.size; i++) {
			this.setFunctionModule(6, i, i % 2 === 0, QrCodeDataType.Timing);
			this.setFunctionModule(i, 6, i % 2 === 0, QrCodeDataType.Timing);
		}
		this.drawFinderPattern(3, 3);
		this.drawFinderPattern(this.size - 4, 3);
		this.drawFinderPattern(3, this.size - 4);
		const alignPatPos = this.getAlignmentPatternPositions();
		const numAlign = alignPatPos.length;
		for (let i = 0; i < numAlign; i++) for (let j = 0; j < numAlign; j++) if (!(i === 0 && j === 0 || i === 0 && j === numAlign - 1 || i === numAlign - 1 && j === 0)) this.drawAlignmentPattern(alignPatPos[i], alignPatPos[j]);
		this.drawFormatBits(0);
		this.drawVersion();
	}
	drawFormatBits(mask) {
		const data = this.ecc[1] << 3 | mask;
		let rem = data;
		for (let i = 0; i < 10; i++) rem = rem << 1 ^ (rem >>> 9) * 1335;
		const bits = (data << 10 | rem) ^ 21522;
		for (let i = 0; i <= 5; i++) this.setFunctionModule(8, i, getBit(bits, i));
		this.setFunctionModule(8, 7, getBit(bits, 6));
		this.setFunctionModule(8, 8, getBit(bits, 7));
		this.setFunctionModule(7, 8, getBit(bits, 8));
		for (let i = 9; i < 15; i++) this.setFunctionModule(14 - i, 8, getBit(bits, i));
		for (let i = 0; i < 8; i++) this.setFunctionModule(this.size - 1 - i, 8, getBit(bits, i));
		for (let i = 8; i < 15; i++) this.setFunctionModule(8, this.size - 15 + i, getBit(bits, i));
		this.setFunctionModule(8, this.size - 8, true);
	}
	drawVersion() {
		if (this.version < 7) return;
		let rem = this.version;
		for (let i = 0; i < 12; i++) rem = rem << 1 ^ (rem >>> 11) * 7973;
		const bits = this.version << 12 | rem;
		for (let i = 0; i < 18; i++) {
			const color = getBit(bits, i);
			const a = this.size - 11 + i % 3;
			const b = Math.floor(i / 3);
			this.setFunctionModule(a, b, color);
			this.setFunctionModule(b, a, color);
		}
	}
	drawFinderPattern(x, y) {
		for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) {
			const dist = Math.max(Math.abs(dx), Math.abs(dy));
			const xx = x + dx;
			const yy = y + dy;
			if (xx >= 0 && xx < this.size && yy >= 0 && yy < this.size) this.setFunctionModule(xx, yy, dist !== 2 && dist !== 4, QrCodeDataType.Position);
		}
	}
	drawAlignmentPattern(x, y) {
		for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) this.setFunctionModule(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1, QrCodeDataType.Alignment);
	}
	setFunctionModule(x, y, isDark, type = QrCodeDataType.Function) {
		this.modules[y][x] = isDark;
		this.types[y][x] = type;
	}
	addEccAndInterleave(data) {
		const ver = this.version;
		const ecl = this.ecc;
		if (data.length !== getNumDataCodewords(ver, ecl)) throw new RangeError("Invalid argument");
		const numBlocks = NUM_ERROR_CORRECTION_BLOCKS[ecl[0]][ver];
		const blockEccLen = ECC_CODEWORDS_PER_BLOCK[ecl[0]][ver];
		const rawCodewords = Math.floor(getNumRawDataModules(ver) / 8);
		const numShortBlocks = numBlocks - rawCodewords % numBlocks;
		const shortBlockLen = Math.floor(rawCodewords / numBlocks);
		const blocks = [];
		const rsDiv = reedSolomonComputeDivisor(blockEccLen);
		for (let i = 0, k = 0; i < numBlocks; i++) {
			const dat = data.slice(k, k + shortBlockLen - blockEccLen + (i < numShortBlocks ? 0 : 1));
			k += dat.length;
			const ecc = reedSolomonComputeRemainder(dat, rsDiv);
			if (i < numShortBlocks) dat.push(0);
			blocks.push(dat.concat(ecc));
		}
		const result = [];
		for (let i = 0; i < blocks[0].length; i++) blocks.forEach((block, j) => {
			if (i !== shortBlockLen - blockEccLen || j >= numShortBlocks) result.push(block[i]);
		});
		return result;
	}
	drawCodewords(data) {
		if (data.length !== Math.floor(getNumRawDataModules(this.version) / 8)) throw new RangeError("Invalid argument");
		let i = 0;
		for (let right = this.size - 1; right >= 1; right -= 2) {
			if (right === 6) right = 5;
			for (let vert = 0; vert < this.size; vert++) for (let j = 0; j < 2; j++) {
				const x = right - j;
				const y = (right + 1 & 2) === 0 ? this.size - 1 - vert : vert;
				if (!this.types[y][x] && i < data.length * 8) {
					this.modules[y][x] = getBit(data[i >>> 3], 7 - (i & 7));
					i++;
				}
			}
		}
	}
	applyMask(mask) {
		if (mask < 0 || mask > 7) throw new RangeError("Mask value out of range");
		for (let y = 0; y < this.size; y++) for (let x = 0; x < this.size; x++) {
			let invert;
			switch (mask) {
				case 0:
					invert = (x + y) % 2 === 0;
					break;
				case 1:
					invert = y % 2 === 0;
					break;
				case 2:
					invert = x % 3 === 0;
					break;
				case 3:
					invert = (x + y) % 3 === 0;
					break;
				case 4:
					invert = (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0;
					break;
				case 5:
					invert = x * y % 2 + x * y % 3 === 0;
					break;
				case 6:
					invert = (x * y % 2 + x * y % 3) % 2 === 0;
					break;
				case 7:
					invert = ((x + y) % 2 + x * y % 3) % 2 === 0;
					break;
				default: throw new Error("Unreachable");
			}
			if (!this.types[y][x] && invert) this.modules[y][x] = !this.modules[y][x];
		}
	}
	getPenaltyScore() {
		let result = 0;
		for (let y = 0; y < this.size; y++) {
			let runColor = false;
			let runX = 0;
			const runHistory = [
				0,
				0,
				0,
				0,
				0,
				0,
				0
			];
			for (let x = 0; x < this.size; x++) if (this.modules[y][x] === runColor) {
				runX++;
				if (runX === 5) result += PENALTY_N1;
				else if (runX > 5) result++;
			} else {
				this.finderPenaltyAddHistory(runX, runHistory);
				if (!runColor) result += this.finderPenaltyCountPatterns(runHistory) * PENALTY_N3;
				runColor = this.modules[y][x];
				runX = 1;
			}
			result += this.finderPenaltyTerminateAndCount(runColor, runX, runHistory) * PENALTY_N3;
		}
		for (let x = 0; x < this.size; x++) {
			let runColor = false;
			let runY = 0;
			const runHistory = [
				0,
				0,
				0,
				0,
				0,
				0,
				0
			];
			for (let y = 0; y < this.size; y++) if (this.modules[y][x] === runColor) {
				runY++;
				if (runY === 5) result += PENALTY_N1;
				else if (runY > 5) result++;
			} else {
				this.finderPenaltyAddHistory(runY, runHistory);
				if (!runColor) result += this.finderPenaltyCountPatterns(runHistory) * PENALTY_N3;
				runColor = this.modules[y][x];
				runY = 1;
			}
			result += this.finderPenaltyTerminateAndCount(runColor, runY, runHistory) * PENALTY_N3;
		}
		for (let y = 0; y < this.size - 1; y++) for (let x = 0; x < this.size - 1; x++) {
			const color = this.modules[y][x];
			if (color === this.modules[y][x + 1] && color === this.modules[y + 1][x] && color === this.modules[y + 1][x + 1]) result += PENALTY_N2;
		}
		let dark = 0;
		for (const row of this.modules) dark = row.reduce((sum, color) => sum + (color ? 1 : 0), dark);
		const total = this.size * this.size;
		const k = Math.ceil(Math.abs(dark * 20 - total * 10) / total) - 1;
		result += k * PENALTY_N4;
		return result;
	}
	getAlignmentPatternPositions() {
		if (this.version === 1) return [];
		else {
			const numAlign = Math.floor(this.version / 7) + 2;
			const step = this.version === 32 ? 26 : Math.ceil((this.version * 4 + 4) / (numAlign * 2 - 2)) * 2;
			const result = [6];
			for (let pos = this.size - 7; result.length < numAlign; pos -= step) result.splice(1, 0, pos);
			return result;
		}
	}
	finderPenaltyCountPatterns(runHistory) {
		const n = runHistory[1];
		const core = n > 0 && runHistory[2] === n && runHistory[3] === n * 3 && runHistory[4] === n && runHistory[5] === n;
		return (core && runHistory[0] >= n * 4 && runHistory[6] >= n ? 1 : 0) + (core && runHistory[6] >= n * 4 && runHistory[0] >= n ? 1 : 0);
	}
	finderPenaltyTerminateAndCount(currentRunColor, currentRunLength, runHistory) {
		if (currentRunColor) {
			this.finderPenaltyAddHistory(currentRunLength, runHistory);
			currentRunLength = 0;
		}
		currentRunLength += this.size;
		this.finderPenaltyAddHistory(currentRunLength, runHistory);
		return this.finderPenaltyCountPatterns(runHistory);
	}
	finderPenaltyAddHistory(currentRunLength, runHistory) {
		if (runHistory[0] === 0) currentRunLength += this.size;
		runHistory.pop();
		runHistory.unshift(currentRunLength);
	}
};
function appendBits(val, len, bb) {
	if (len < 0 || len > 31 || val >>> len !== 0) throw new RangeError("Value out of range");
	for (let i = len - 1; i >= 0; i--) bb.push(val >>> i & 1);
}
function getBit(x, i) {
	return (x >>> i & 1) !== 0;
}
var QrSegment = class {
	constructor(mode, numChars, bitData) {
		this.mode = mode;
		this.numChars = numChars;
		this.bitData = bitData;
		if (numChars < 0) throw new RangeError("Invalid argument");
		this.bitData = bitData.slice();
	}
	getData() {
		return this.bitData.slice();
	}
};
var MODE_NUMERIC = [
	1,
	10,
	12,
	14
];
var MODE_ALPHANUMERIC = [
	2,
	9,
	11,
	13
];
var MODE_BYTE = [
	4,
	8,
	16,
	16
];
function numCharCountBits(mode, ver) {
	return mode[Math.floor((ver + 7) / 17) + 1];
}
function makeBytes(data) {
	const bb = [];
	for (const b of data) appendBits(b, 8, bb);
	return new QrSegment(MODE_BYTE, data.length, bb);
}
function makeNumeric(digits) {
	if (!isNumeric(digits)) throw new RangeError("String contains non-numeric characters");
	const bb = [];
	for (let i = 0; i < digits.length;) {
		const n = Math.min(digits.length - i, 3);
		appendBits(Number.parseInt(digits.substring(i, i + n), 10), n * 3 + 1, bb);
		i += n;
	}
	return new QrSegment(MODE_NUMERIC, digits.length, bb);
}
function makeAlphanumeric(text) {
	if (!isAlphanumeric(text)) throw new RangeError("String contains unencodable characters in alphanumeric mode");
	const bb = [];
	let i = 0;
	for (; i + 2 <= text.length; i += 2) {
		let temp = ALPHANUMERIC_CHARSET.indexOf(text.charAt(i)) * 45;
		temp += ALPHANUMERIC_CHARSET.indexOf(text.charAt(i + 1));
		appendBits(temp, 11, bb);
	}
	if (i < text.length) appendBits(ALPHANUMERIC_CHARSET.indexOf(text.charAt(i)), 6, bb);
	return new QrSegment(MODE_ALPHANUMERIC, text.length, bb);
}
function makeSegments(text) {
	if (text === "") return [];
	else if (isNumeric(text)) return [makeNumeric(text)];
	else if (isAlphanumeric(text)) return [makeAlphanumeric(text)];
	else return [makeBytes(toUtf8ByteArray(text))];
}
function isNumeric(text) {
	return NUMERIC_REGEX.test(text);
}
function isAlphanumeric(text) {
	return ALPHANUMERIC_REGEX.test(text);
}
function getTotalBits(segs, version) {
	let result = 0;
	for (const seg of segs) {
		const ccbits = numCharCountBits(seg.mode, version);
		if (seg.numChars >= 1 << ccbits) return Number.POSITIVE_INFINITY;
		result += 4 + ccbits + seg.bitData.length;
	}
	return result;
}
function toUtf8ByteArray(str) {
	str = encodeURI(str);
	const result = [];
	for (let i = 0; i < str.length; i++) if (str.charAt(i) !== "%") result.push(str.charCodeAt(i));
	else {
		result.push(Number.parseInt(str.substring(i + 1, i + 3), 16));
		i += 2;
	}
	return result;
}
function getNumRawDataModules(ver) {
	if (ver < MIN_VERSION || ver > MAX_VERSION) throw new RangeError("Version number out of range");
	let result = (16 * ver + 128) * ver + 64;
	if (ver >= 2) {
		const numAlign = Math.floor(ver / 7) + 2;
		result -= (25 * numAlign - 10) * numAlign - 55;
		if (ver >= 7) result -= 36;
	}
	return result;
}
function getNumDataCodewords(ver, ecl) {
	return Math.floor(getNumRawDataModules(ver) / 8) - ECC_CODEWORDS_PER_BLOCK[ecl[0]][ver] * NUM_ERROR_CORRECTION_BLOCKS[ecl[0]][ver];
}
function reedSolomonComputeDivisor(degree) {
	if (degree < 1 || degree > 255) throw new RangeError("Degree out of range");
	const result = [];
	for (let i = 0; i < degree - 1; i++) result.push(0);
	result.push(1);
	let root = 1;
	for (let i = 0; i < degree; i++) {
		for (let j = 0; j < result.length; j++) {
			result[j] = reedSolomonMultiply(result[j], root);
			if (j + 1 < result.length) result[j] ^= result[j + 1];
		}
		root = reedSolomonMultiply(root, 2);
	}
	return result;
}
function reedSolomonComputeRemainder(data, divisor) {
	const result = divisor.map((_) => 0);
	for (const b of data) {
		const factor = b ^ result.shift();
		result.push(0);
		divisor.forEach((coef, i) => result[i] ^= reedSolomonMultiply(coef, factor));
	}
	return result;
}
function reedSolomonMultiply(x, y) {
	if (x >>> 8 !== 0 || y >>> 8 !== 0) throw new RangeError("Byte out of range");
	let z = 0;
	for (let i = 7; i >= 0; i--) {
		z = z << 1 ^ (z >>> 7) * 285;
		z ^= (y >>> i & 1) * x;
	}
	return z;
}
function encodeSegments(segs, ecl, minVersion = 1, maxVersion = 40, mask = -1, boostEcl = true) {
	if (!(MIN_VERSION <= minVersion && minVersion <= maxVersion && maxVersion <= MAX_VERSION) || mask < -1 || mask > 7) throw new RangeError("Invalid value");
	let version;
	let dataUsedBits;
	for (version = minVersion;; version++) {
		const dataCapacityBits2 = getNumDataCodewords(version, ecl) * 8;
		const usedBits = getTotalBits(segs, version);
		if (usedBits <= dataCapacityBits2) {
			dataUsedBits = usedBits;
			break;
		}
		if (version >= maxVersion) throw new RangeError("Data too long");
	}
	for (const newEcl of [
		MEDIUM,
		QUARTILE,
		HIGH
	]) if (boostEcl && dataUsedBits <= getNumDataCodewords(version, newEcl) * 8) ecl = newEcl;
	const bb = [];
	for (const seg of segs) {
		appendBits(seg.mode[0], 4, bb);
		appendBits(seg.numChars, numCharCountBits(seg.mode, version), bb);
		for (const b of seg.getData()) bb.push(b);
	}
	const dataCapacityBits = getNumDataCodewords(version, ecl) * 8;
	appendBits(0, Math.min(4, dataCapacityBits - bb.length), bb);
	appendBits(0, (8 - bb.length % 8) % 8, bb);
	for (let padByte = 236; bb.length < dataCapacityBits; padByte ^= 253) appendBits(padByte, 8, bb);
	const dataCodewords = Array.from({ length: Math.ceil(bb.length / 8) }, () => 0);
	bb.forEach((b, i) => dataCodewords[i >>> 3] |= b << 7 - (i & 7));
	return new QrCode(version, ecl, dataCodewords, mask);
}
function encode(data, options) {
	const { ecc = "L", boostEcc = false, minVersion = 1, maxVersion = 40, maskPattern = -1, border = 1 } = options || {};
	const segment = typeof data === "string" ? makeSegments(data) : Array.isArray(data) ? [makeBytes(data)] : void 0;
	if (!segment) throw new Error(`uqr only supports encoding string and binary data, but got: ${typeof data}`);
	const qr = encodeSegments(segment, EccMap[ecc], minVersion, maxVersion, maskPattern, boostEcc);
	const result = addBorder({
		version: qr.version,
		maskPattern: qr.mask,
		size: qr.size,
		data: qr.modules,
		types: qr.types
	}, border);
	if (options?.invert) result.data = result.data.map((row) => row.map((mod) => !mod));
	options?.onEncoded?.(result);
	return result;
}
function addBorder(input, border = 1) {
	if (!border) return input;
	const { size } = input;
	const newSize = size + border * 2;
	input.size = newSize;
	input.data.forEach((row) => {
		for (let i = 0; i < border; i++) {
			row.unshift(false);
			row.push(false);
		}
	});
	for (let i = 0; i < border; i++) {
		input.data.unshift(Array.from({ length: newSize }, (_) => false));
		input.data.push(Array.from({ length: newSize }, (_) => false));
	}
	const b = QrCodeDataType.Border;
	input.types.forEach((row) => {
		for (let i = 0; i < border; i++) {
			row.unshift(b);
			row.push(b);
		}
	});
	for (let i = 0; i < border; i++) {
		input.types.unshift(Array.from({ length: newSize }, (_) => b));
		input.types.push(Array.from({ length: newSize }, (_) => b));
	}
	return input;
}
// src/commands/terminal-qr.ts
/** Width of the light border around a code, in modules (ISO/IEC 18004, 6.3.8). */
var quietZone = 4;
var blackOnWhite = "\x1B[38;5;16;48;5;231m";
var plain = "\x1B[0m";
/**
* Renders the QR code of an address as lines of half blocks, two modules per cell. With `color`, each line uses black on white
* from the fixed entries 16 and 231 of the 256-color palette, which themes do not change, so the code is dark on light on any
* background. Without it, only the light modules are drawn, which is correct on a dark terminal and inverted on a light one;
* modern scanners read that too. Returns null if the address is longer than `maxQrAddressLength` or the code is wider than
* `columns`.
*/
function terminalQr(address, options) {
	if (address.length > 300) return null;
	const code = encode(address, {
		ecc: "L",
		border: 0
	});
	const side = code.size + 8;
	if (side > options.columns) return null;
	const isDark = (x, y) => code.data[y - quietZone]?.[x - quietZone] ?? false;
	const isInked = (x, y) => y >= side ? false : isDark(x, y) === options.color;
	const lines = [];
	for (let y = 0; y < side; y += 2) {
		let line = "";
		for (let x = 0; x < side; x += 1) line += halfBlock(isInked(x, y), isInked(x, y + 1));
		lines.push(options.color ? blackOnWhite + line + plain : line);
	}
	return lines;
}
function halfBlock(top, bottom) {
	if (top) return bottom ? "█" : "▀";
	return bottom ? "▄" : " ";
}
// src/commands/uploader/connection-error.ts
/** Converts connection errors to user-facing messages. */
var certificateErrors = {
	DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
	SELF_SIGNED_CERT_IN_CHAIN: "its certificate was issued by an authority that Node does not trust",
	UNABLE_TO_GET_ISSUER_CERT: "its certificate was issued by an authority that Node does not trust",
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate was issued by an authority that Node does not trust",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: "it does not send its intermediate certificates",
	CERT_HAS_EXPIRED: "its certificate has expired",
	CERT_NOT_YET_VALID: "its certificate is not valid yet",
	ERR_TLS_CERT_ALTNAME_INVALID: "its certificate was issued for another name"
};
var addressHint = "Set --server or SLIPWAY_URL to the address of the Slipway server.";
/** `progress`: the amount sent, such as `3.0 MiB of 12.0 MiB`; null if nothing was sent. */
function toConnectionError(error, url, progress) {
	if (error instanceof UploadError) return error;
	const code = errorCode(error);
	const certificate = certificateErrors[code];
	if (certificate) return new UploadError(`${url.origin} cannot be trusted: ${certificate}.`, {
		hint: "For a private authority, set NODE_EXTRA_CA_CERTS to its certificate file.",
		cause: error
	});
	return toReachabilityError(code, url, error) ?? brokenConnection(code, url, progress, error);
}
function toReachabilityError(code, url, cause) {
	switch (code) {
		case "ECONNREFUSED": return new UploadError(`Nothing is listening at ${url.origin}.`, {
			hint: `Check that the server is running. ${addressHint}`,
			isTransient: true,
			cause
		});
		case "ENOTFOUND": return new UploadError(`There is no host named ${url.hostname}.`, {
			hint: addressHint,
			cause
		});
		case "EAI_AGAIN": return new UploadError(`The name ${url.hostname} could not be resolved.`, {
			hint: "Check that this machine is connected to the network.",
			isTransient: true,
			cause
		});
		case "ETIMEDOUT":
		case "EHOSTUNREACH":
		case "ENETUNREACH": return new UploadError(`${url.origin} cannot be reached (${code}).`, {
			hint: "Check the firewall and the VPN.",
			isTransient: true,
			cause
		});
		case "EPROTO":
		case "ERR_SSL_WRONG_VERSION_NUMBER":
		case "ERR_SSL_PACKET_LENGTH_TOO_LONG": return new UploadError(`${url.origin} does not speak TLS.`, {
			hint: `Use http:// if the server has no certificate. ${addressHint}`,
			cause
		});
		default: return null;
	}
}
function brokenConnection(code, url, progress, cause) {
	if (code.startsWith("HPE_")) return new UploadError(`The server at ${url.origin} does not speak HTTP (${code}).`, {
		hint: addressHint,
		cause
	});
	if ([
		"ECONNRESET",
		"EPIPE",
		"ECONNABORTED"
	].includes(code)) return new UploadError(`The connection to ${url.origin} broke ${progress ? `after ${progress}` : "at the start"}.`, {
		hint: "A proxy in front of the server may cut off long uploads: check its limits on body size and time.",
		isTransient: true,
		cause
	});
	const words = cause instanceof Error && cause.message ? cause.message : String(cause);
	return new UploadError(`The upload to ${url.origin} failed: ${words}`, { cause });
}
/** If all addresses of a name fail, the AggregateError has the code of the first. */
function errorCode(error) {
	if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
	return "";
}
// src/commands/uploader/upload-form.ts
/**
* A multipart/form-data body (RFC 7578), laid out completely before it is sent, so that its length is known: `--B CRLF headers
* CRLF CRLF value CRLF` for each part, then `--B-- CRLF`.
*/
/** Puts fields first, so that a server can check them before it receives files. `boundary` must be random. */
function buildForm(fields, files, boundary) {
	const pieces = [];
	const text = (value) => pieces.push({ bytes: Buffer.from(value, "utf8") });
	for (const { name, value } of fields) text(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);
	for (const { name, source } of files) {
		text(`--${boundary}\r\nContent-Disposition: ${`form-data; name="${quoted(name)}"; filename="${quoted(source.fileName)}"`}\r\nContent-Type: ${mediaType(source.fileName)}\r\n\r\n`);
		pieces.push({ source });
		text("\r\n");
	}
	text(`--${boundary}--\r\n`);
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		contentLength: pieces.reduce((sum, piece) => sum + pieceLength(piece), 0),
		pieces
	};
}
var chunkBytes = 131072;
/**
* Yields the bytes of the form in order. A file chunk is valid until the chunk after the next one is requested, because two
* buffers alternate. Every file is checked again before the closing delimiter, so that a body with a changed file is never
* complete. Throws `UploadError` in that case.
*/
async function* formChunks(form) {
	const buffers = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)];
	const last = form.pieces.at(-1);
	for (const piece of form.pieces) {
		if (piece === last) await Promise.all(form.pieces.map((each) => "source" in each && each.source.assertUnchanged()));
		if ("bytes" in piece) yield piece.bytes;
		else yield* sourceChunks(piece.source, piece.from ?? 0, piece.to ?? piece.source.sizeBytes, buffers);
	}
}
async function* sourceChunks(source, from, to, buffers) {
	let turn = 0;
	for (let position = from; position < to; turn += 1) {
		const buffer = buffers[turn % 2 === 0 ? 0 : 1].subarray(0, Math.min(chunkBytes, to - position));
		const bytesRead = await source.read(buffer, position);
		if (bytesRead === 0) throw new UploadError(`${source.path} was truncated during the upload.`);
		yield buffer.subarray(0, bytesRead);
		position += bytesRead;
	}
}
function pieceLength(piece) {
	if ("bytes" in piece) return piece.bytes.length;
	return (piece.to ?? piece.source.sizeBytes) - (piece.from ?? 0);
}
/** Escapes the three characters listed in HTML's "multipart/form-data encoding algorithm". */
function quoted(name) {
	return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll("\"", "%22");
}
function mediaType(fileName) {
	if (/\.apk$/i.test(fileName)) return "application/vnd.android.package-archive";
	if (/\.zip$/i.test(fileName)) return "application/zip";
	return "application/octet-stream";
}
// src/commands/uploader/upload-file.ts
var defaultTimeouts = {
	connectMs: 3e4,
	continueMs: 3e3,
	idleMs: 3e5
};
/** An answer is read only up to this size. */
var maxResponseBytes = 1048576;
/**
* Sends one upload and returns the answer, with any status; does not follow redirects. The body waits for `100 Continue`, so that
* a refusal arrives before it is sent; a 417 answer repeats the request without `Expect`. Throws `UploadError` if the connection
* failed or timed out, or a file changed while it was read.
*/
async function uploadFile(request, onProgress) {
	const answer = await exchange(request, (request.form?.contentLength ?? 0) > 0, onProgress);
	return answer.status === 417 ? exchange(request, false, onProgress) : answer;
}
async function exchange(request, expectContinue, onProgress) {
	const totalBytes = request.form?.contentLength ?? 0;
	let sentBytes = 0;
	const report = (phase) => onProgress({
		phase,
		sentBytes,
		totalBytes
	});
	report("connecting");
	const sent = (bytes) => {
		sentBytes += bytes;
		report(sentBytes < totalBytes ? "sending" : "answering");
	};
	const client = open$1(request, expectContinue);
	const interrupt = () => client.destroy(new InterruptedError());
	request.signal?.addEventListener("abort", interrupt, { once: true });
	if (request.signal?.aborted) interrupt();
	const answered = new AbortController();
	const answer = readAnswer(client, request.url, answered);
	const goAhead = expectContinue ? continued(client, request.timeouts.continueMs, answered.signal) : null;
	const sending = Promise.resolve(goAhead).then(() => sendForm(client, request.form, answered.signal, sent));
	try {
		await Promise.race([answer, sending]);
		return await answer;
	} catch (error) {
		const progress = sentBytes > 0 ? `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}` : null;
		throw toConnectionError(error, request.url, progress);
	} finally {
		request.signal?.removeEventListener("abort", interrupt);
		answered.abort();
		client.destroy();
		await sending.catch(() => {});
	}
}
function open$1({ url, method = "POST", headers, form, timeouts }, expectContinue) {
	const client = (url.protocol === "https:" ? https : http).request(url, {
		method,
		agent: false,
		headers: {
			Accept: "application/json",
			Connection: "keep-alive",
			...headers,
			...form ? { "Content-Type": form.contentType } : {},
			...method === "HEAD" ? {} : { "Content-Length": form?.contentLength ?? 0 },
			...expectContinue ? { Expect: "100-continue" } : {}
		}
	});
	limitTime(client, url, timeouts);
	client.flushHeaders();
	return client;
}
function limitTime(client, url, { connectMs, idleMs }) {
	const connecting = setTimeout(() => {
		client.destroy(new UploadError(`${url.origin} did not answer within ${seconds(connectMs)}.`, { isTransient: true }));
	}, connectMs);
	client.once("close", () => clearTimeout(connecting));
	client.once("socket", (socket) => {
		socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(connecting));
		socket.setTimeout(idleMs, () => {
			const words = `No data was exchanged with ${url.origin} for ${seconds(idleMs)}.`;
			client.destroy(new UploadError(words, {
				isTransient: true,
				hint: "Use --timeout SECONDS to allow more."
			}));
		});
	});
}
var seconds = (milliseconds) => `${milliseconds / 1e3} s`;
/** Resolves when the server requests the body, after `continueMs`, or when an answer arrives. */
function continued(client, continueMs, answered) {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, continueMs);
		const done = () => {
			clearTimeout(timer);
			resolve();
		};
		client.once("continue", done);
		answered.addEventListener("abort", done, { once: true });
	});
}
/** Stops without an error if `answered` is aborted or the connection breaks, because the promise of the answer reports the cause. */
async function sendForm(client, form, answered, sent) {
	if (answered.aborted) return;
	let written = Promise.resolve(true);
	for await (const chunk of form ? formChunks(form) : []) {
		if (!await written) return;
		await new Promise((resolve) => setImmediate(resolve));
		written = writeChunk(client, chunk, answered, sent);
	}
	if (await written) client.end();
}
/** Resolves to false if the chunk was not sent. Until then, the chunk must not be modified. */
function writeChunk(client, chunk, answered, sent) {
	return new Promise((resolve) => {
		const stop = () => resolve(false);
		if (answered.aborted) return stop();
		answered.addEventListener("abort", stop, { once: true });
		client.write(chunk, (error) => {
			answered.removeEventListener("abort", stop);
			if (!error && !answered.aborted) sent(chunk.length);
			resolve(!error);
		});
	});
}
/** Aborts `answered` as soon as an answer begins, which may be long before the body is sent. */
function readAnswer(client, url, answered) {
	return new Promise((resolve, reject) => {
		const fail = (error) => {
			answered.abort();
			reject(error);
		};
		client.on("error", fail);
		client.once("response", (response) => {
			answered.abort();
			collect(response, url).then(resolve, reject);
		});
	});
}
async function collect(response, url) {
	const chunks = [];
	let bytes = 0;
	for await (const chunk of response) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > 1048576) throw new UploadError(`${url.origin} answered with more than ${maxResponseBytes} bytes.`);
	}
	return {
		status: response.statusCode ?? 0,
		statusText: response.statusMessage ?? "",
		location: response.headers.location ?? null,
		retryAfter: response.headers["retry-after"] ?? null,
		uploadOffset: [response.headers["upload-offset"] ?? []].flat()[0] ?? null,
		text: Buffer.concat(chunks).toString("utf8")
	};
}
// src/commands/uploader/resumable-upload.ts
/** Sends a file in chunks by tus 1.0, so that a broken connection or a restarted server costs one chunk. */
/** Larger files are sent this way from the start. */
var resumableFromBytes = 67108864;
/** What a broken connection can cost. */
var uploadChunkBytes = 8388608;
/** All headers of a request share 16 KiB. */
var maxMetadataBytes = 12288;
/** Without progress. Their pauses add up to three minutes, in which a server restarts. */
var defaultRetries$1 = 10;
var terminateMs = 1e4;
var transientStatuses = [
	408,
	429,
	500,
	502,
	503,
	504
];
/** Another offset, another writer, or damaged bytes: HEAD says where to continue. */
var conflictStatuses = [
	409,
	423,
	460
];
/** Returns the value of `Upload-Metadata`; null if it is too long. */
function tusMetadata(fields, owner, fileName) {
	const text = [
		{
			name: "filename",
			value: fileName
		},
		{
			name: "owner",
			value: owner
		},
		...fields
	].map(({ name, value }) => `${name} ${Buffer.from(value).toString("base64")}`).join(",");
	return text.length > maxMetadataBytes ? null : text;
}
/**
* Returns the answer of the upload, with any status; null if the server has no resumable uploads, or a proxy hinders them.
* Throws `UploadError`. If `signal` is aborted or no later run can continue, the server removes what it has received, which
* would count toward the quota for a day.
*/
async function uploadResumably(upload) {
	const { source, credential, signal } = upload;
	const totalBytes = source.sizeBytes;
	const retries = upload.retries ?? defaultRetries$1;
	let key = await credential.get();
	let address = null;
	let offset = 0;
	let isKnown = true;
	let failures = 0;
	let restarts = 0;
	let renewedAt = -1;
	const send = (method, url, more = {}) => {
		const { own = {}, ...rest } = more;
		return uploadFile({
			url,
			method,
			headers: {
				...upload.headers,
				Authorization: `Bearer ${key}`,
				"Tus-Resumable": "1.0.0",
				...own
			},
			form: null,
			timeouts: upload.timeouts,
			signal,
			...rest
		}, ({ phase, sentBytes }) => {
			const isEnd = phase === "answering" && offset + sentBytes >= totalBytes && method === "PATCH";
			upload.onProgress({
				phase: isEnd ? "answering" : "sending",
				sentBytes: offset + sentBytes,
				totalBytes
			});
		});
	};
	const create = () => send("POST", new URL("api/v1/uploads", upload.baseUrl), { own: {
		"Upload-Length": String(totalBytes),
		"Upload-Metadata": upload.metadata,
		"Idempotency-Key": upload.idempotencyKey
	} });
	const sendChunk = async (url) => {
		const to = Math.min(offset + uploadChunkBytes, totalBytes);
		await source.assertUnchanged();
		const own = {
			"Upload-Offset": String(offset),
			"Upload-Checksum": `sha256 ${await digestOf(source, offset, to, signal)}`
		};
		const pieces = to > offset ? [{
			source,
			from: offset,
			to
		}] : [];
		const form = {
			contentType: "application/offset+octet-stream",
			contentLength: to - offset,
			pieces
		};
		return send("PATCH", url, {
			own,
			form
		});
	};
	const terminate = async () => {
		const request = { signal: AbortSignal.timeout(terminateMs) };
		if (address !== null) await send("DELETE", address, request).catch(() => void 0);
	};
	const giveUp = async (answer) => {
		if (answer.status !== 200 && !upload.canContinueLater) await terminate();
		return answer;
	};
	/** Null if the upload continues. */
	const take = (answer) => {
		const { status } = answer;
		const at = offsetIn(answer);
		if (address === null) {
			if (status !== 201) return answer;
			address = addressIn(answer, upload.baseUrl);
		} else if (status !== 204 && !(status === 200 && !isKnown)) return answer;
		if (at === null && status !== 201 || (at ?? 0) > totalBytes) throw new UploadError(`${upload.baseUrl.origin} states an impossible offset.`);
		if ((at ?? 0) > offset) failures = 0;
		offset = at ?? 0;
		isKnown = true;
		return null;
	};
	try {
		for (;;) {
			const url = address;
			const outcome = await (url === null ? create() : isKnown ? sendChunk(url) : send("HEAD", url)).catch((error) => {
				if (error instanceof UploadError) return error;
				throw error;
			});
			if (outcome instanceof InterruptedError) throw outcome;
			let reason = outcome instanceof UploadError && outcome.isTransient ? outcome.message : null;
			if (outcome instanceof UploadError) {
				if (reason === null) throw outcome;
			} else {
				if (url === null ? lacksUploads(outcome, upload.baseUrl) : isKnown && offset === 0 && isHindered(outcome)) {
					await terminate();
					return null;
				}
				if (outcome.status === 401 && credential.renew && renewedAt < offset) {
					renewedAt = offset;
					key = await credential.renew();
					continue;
				}
				if (url !== null && [404, 410].includes(outcome.status) && restarts === 0) {
					restarts += 1;
					[address, offset, isKnown] = [
						null,
						0,
						true
					];
					continue;
				}
				const isRetried = [...transientStatuses, ...conflictStatuses].includes(outcome.status);
				if (url !== null && !isKnown && outcome.status >= 400 && !isRetried) {
					[offset, isKnown] = [totalBytes, true];
					continue;
				}
				if (url !== null && conflictStatuses.includes(outcome.status) || transientStatuses.includes(outcome.status)) reason = `The server answered ${outcome.status}.`;
				else {
					const final = take(outcome);
					if (final) return await giveUp(final);
					continue;
				}
			}
			failures += 1;
			const asked = outcome instanceof UploadError ? 0 : retryAfterMs(outcome.retryAfter);
			if (failures > retries || asked > 12e4) {
				if (!(outcome instanceof UploadError)) return await giveUp(outcome);
				throw outcome;
			}
			const pauseMs = Math.max(backoffMs(failures), asked);
			upload.onRetry({
				reason: reason ?? "",
				pauseMs,
				number: failures,
				of: retries
			});
			await setTimeout$1(pauseMs, void 0, { signal }).catch(() => {
				throw new InterruptedError();
			});
			isKnown = address === null;
		}
	} catch (error) {
		if (error instanceof InterruptedError || !upload.canContinueLater) await terminate();
		throw error;
	}
}
var offsetIn = ({ uploadOffset }) => /^\d{1,16}$/.test(uploadOffset ?? "") ? Number(uploadOffset) : null;
/** Null for an address elsewhere, which must not get the key. */
function addressIn({ location }, baseUrl) {
	const url = location !== null && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : null;
	return url?.origin === baseUrl.origin ? url : null;
}
var lacksUploads = (created, baseUrl) => [
	404,
	405,
	412,
	501
].includes(created.status) || created.status === 201 && addressIn(created, baseUrl) === null;
/** Whether a proxy, not the server, answered a chunk, or removed the headers of tus. */
var isHindered = (answer) => answer.status === 204 ? offsetIn(answer) === null : [
	403,
	405,
	501
].includes(answer.status) && !answer.text.startsWith("{");
async function digestOf(source, from, to, signal) {
	const hash = createHash("sha256");
	const buffer = Buffer.allocUnsafe(chunkBytes);
	for (let position = from; position < to;) {
		if (signal.aborted) throw new InterruptedError();
		const bytesRead = await source.read(buffer.subarray(0, Math.min(chunkBytes, to - position)), position);
		if (bytesRead === 0) throw new UploadError(`${source.path} was truncated during the upload.`);
		hash.update(buffer.subarray(0, bytesRead));
		position += bytesRead;
	}
	return hash.digest("base64");
}
// src/commands/uploader/upload-progress.ts
/** Formats upload progress as one line of text. */
var maxBarCells = 40;
var minBarCells = 10;
var gap = "  ";
/**
* Returns a line of at most `columns` cells: with fewer facts if it is narrow, and empty below 4 cells. The bar has at least
* `minBarCells` and at most `maxBarCells` cells.
*/
function progressBar(view, options) {
	const room = options.columns - 1;
	const state = phaseText(view);
	if (state) return state.slice(0, Math.max(room, 0));
	const percent = `${percentOf(view)} %`.padStart(5);
	for (const facts of factsByImportance(view)) {
		const words = [percent, ...facts].join(gap);
		const cells = Math.min(room - words.length - 1, maxBarCells);
		if (cells >= minBarCells) return `${bar(view, cells, options.color)} ${words}`;
	}
	return percent.trim().length <= room ? percent.trim() : "";
}
/** Formats progress as a log line. */
function progressLine(view) {
	const [facts = []] = factsByImportance(view);
	const known = facts.map((fact) => fact.trim()).filter((fact) => fact !== "");
	return phaseText(view) ?? [`${percentOf(view)} %`.padStart(5), ...known].join(gap);
}
function percentOf({ sentBytes, totalBytes }) {
	return totalBytes === 0 ? 0 : Math.floor(sentBytes / totalBytes * 100);
}
function phaseText({ phase, totalBytes }) {
	if (phase === "connecting") return "Connecting …";
	if (phase === "answering") return `Sent ${formatBytes(totalBytes)}; waiting for the server …`;
	return null;
}
/** Returns sets of facts, widest first. Each fact has a fixed width, so that the bar does not jump. */
function factsByImportance(view) {
	const bytes = `${formatBytes(view.sentBytes).padStart(10)} of ${formatBytes(view.totalBytes)}`;
	const rate = (view.bytesPerSecond === null ? "" : `${formatBytes(view.bytesPerSecond)}/s`).padStart(12);
	return [
		[
			bytes,
			rate,
			timeLeft(view).padEnd(16)
		],
		[bytes, rate],
		[rate],
		[]
	];
}
function timeLeft({ sentBytes, totalBytes, bytesPerSecond }) {
	if (bytesPerSecond === null) return "";
	if (bytesPerSecond < 1) return "stalled";
	return `${formatSeconds((totalBytes - sentBytes) / bytesPerSecond)} left`;
}
function bar(view, cells, color) {
	const full = Math.floor(view.sentBytes / Math.max(view.totalBytes, 1) * cells);
	const [done, open] = ["█".repeat(full), "░".repeat(cells - full)];
	return color ? `\x1b[36m${done}\x1b[2m${open}\x1b[0m` : done + open;
}
// src/commands/uploader/upload-display.ts
/** Shows the progress of an upload: one redrawn line on a terminal, periodic lines in a log. */
var redrawEveryMs = 100;
var lineEveryMs = 1e4;
var lineAtMostEveryMs = 1e3;
var lineEveryPercent = 10;
var eraseLine = "\r\x1B[K";
function startDisplay(io, quiet) {
	const note = (text) => writeLines(io.stderr, text);
	if (quiet) return {
		progress: () => {},
		note,
		end: () => {}
	};
	return io.isTerminal && io.env.TERM !== "dumb" ? startBar(io, note) : startLines(io, note);
}
/** Draws on a timer instead of on progress, so that a stalled upload is visible. */
function startBar(io, note) {
	const meter = startMeter(io);
	const color = wantsColor(io.env, true);
	const stop = io.repeat(redrawEveryMs, () => {
		const view = meter.view();
		if (view) draw(io.stderr, `${eraseLine}${progressBar(view, {
			columns: io.columns(),
			color
		})}`);
	});
	const erase = () => draw(io.stderr, eraseLine);
	return {
		progress: meter.take,
		note: (text) => {
			erase();
			note(text);
		},
		end: () => {
			stop();
			erase();
		}
	};
}
/** Prints a line for every 10 %, at most one per second and at least one every 10 s. */
function startLines(io, note) {
	const meter = startMeter(io);
	let last = {
		atMs: io.now(),
		step: 0
	};
	const stop = io.repeat(lineAtMostEveryMs, () => {
		const view = meter.view();
		if (!view) return;
		const step = Math.floor(percentOf(view) / lineEveryPercent);
		if (step === last.step && io.now() - last.atMs < lineEveryMs) return;
		last = {
			atMs: io.now(),
			step
		};
		note(progressLine(view));
	});
	return {
		progress: meter.take,
		note,
		end: stop
	};
}
function startMeter(io) {
	let latest = null;
	let samples = [];
	return {
		take: (progress) => {
			latest = progress;
			if (progress.phase === "sending") samples = withSample(samples, {
				atMs: io.now(),
				sentBytes: progress.sentBytes
			});
		},
		view: () => latest ? {
			...latest,
			bytesPerSecond: bytesPerSecond(samples, io.now())
		} : null
	};
}
var windowMs = 5e3;
/** Minimum interval between samples, to keep the list short. */
var spacingMs = 100;
/** A shorter interval would measure buffers, not the network. */
var minIntervalMs = 500;
/** Starts over if fewer bytes are sent than before, as in a retry. */
function withSample(samples, sample) {
	const last = samples.at(-1);
	if (!last || sample.sentBytes < last.sentBytes) return [sample];
	const previous = samples.at(-2);
	const kept = previous && last.atMs - previous.atMs < spacingMs ? samples.slice(0, -1) : samples;
	const from = kept.findLastIndex((each) => sample.atMs - each.atMs >= windowMs);
	return [...kept.slice(Math.max(from, 0)), sample];
}
/** Returns the rate over the last `windowMs`, which falls to 0 in a stall. Null if too little time has passed. */
function bytesPerSecond(samples, nowMs) {
	const base = samples.findLast((sample) => nowMs - sample.atMs >= windowMs) ?? samples[0];
	const last = samples.at(-1);
	if (!base || !last || nowMs - base.atMs < minIntervalMs) return null;
	return (last.sentBytes - base.sentBytes) * 1e3 / (nowMs - base.atMs);
}
// src/commands/uploader/upload-outputs.ts
/** What an upload reports to CI: JSON, the outputs of a GitHub step, and whether `--fail-on` applies. */
var jsonWithOutputs = ({ json, outputs }) => ({
	...json,
	...outputs
});
/** The names of outputs in integrations. */
var stepOutputNames = [
	"build-url",
	"page-url",
	"qr-url",
	"revision",
	"size",
	"size-change",
	"json"
];
/** Appends to a file of GitHub Actions, if its variable is set. */
async function appendForGithub(path, text) {
	if (path) await appendFile(path, text).catch(unwritable(path));
}
/**
* Appends outputs to the file in `SLIPWAY_OUTPUT`, if it is set, as GitLab and shells read variables: `SLIPWAY_REVISION=7`. The
* JSON is longer than values of CI services may be, so it has its own file.
*/
async function writeOutputs(path, uploaded) {
	if (!path) return;
	const jsonPath = `${path}.json`;
	const lines = namedOutputs(uploaded, jsonPath).map(([name, value]) => `${environmentName(name)}=${value}\n`);
	await writeFile(jsonPath, `${JSON.stringify(jsonWithOutputs(uploaded))}\n`).catch(unwritable(jsonPath));
	await appendFile(path, lines.join("")).catch(unwritable(path));
}
var unwritable = (path) => (cause) => {
	throw new UploadError(`${path} cannot be written: ${cause.code ?? cause.message}.`, { cause });
};
function namedOutputs({ outputs }, json) {
	const values = new Map(Object.entries({
		...outputs,
		json
	}));
	return stepOutputNames.map((name) => [name, String(values.get(name.replaceAll("-", "_")) ?? "")]);
}
/** Every value has a random delimiter, so that a text from a package cannot add an output. */
function stepOutputs(uploaded) {
	return namedOutputs(uploaded, JSON.stringify(jsonWithOutputs(uploaded))).map(([name, value]) => {
		const delimiter = `slipway_${randomBytes(16).toString("hex")}`;
		return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
	}).join("");
}
/** Returns a sentence for each condition that applies. `checks`: empty if they are not known. */
function failures(conditions, { outputs }, checks) {
	return conditions.flatMap((condition) => {
		if (condition.name === "checks") return checks.filter(({ names, state }) => names.includes(condition.check) && state === "failed").map(({ line }) => line);
		if (condition.name === "install") return outputs.install_problems.map((problem) => `Nobody can install this build: ${printable(problem)}`);
		const { size, size_change: change } = outputs;
		if (size === null || change === null) return [];
		const before = size - change;
		const limit = condition.percent === null ? condition.bytes : before * condition.percent / 100;
		if (limit === null || change <= limit) return [];
		return [`The build grew by ${formatBytes(change)} (from ${formatBytes(before)} to ${formatBytes(size)}), more than ${condition.most}.`];
	});
}
// src/commands/uploader/upload-response.ts
/** Interprets the server's answer to an upload. */
/** An unsuccessful answer. `json`: the server's answer, if any. */
var RefusedError = class extends UploadError {
	name = "RefusedError";
	json;
	constructor(message, json, hint) {
		super(message, { hint });
		this.json = json;
	}
};
/** Throws `RefusedError` unless the answer is a success as defined by the API: 200, JSON, `error` false, `results`. */
function readUploadResponse(answer, baseUrl) {
	const json = inOneShape(parseObject(answer.text));
	const results = asObject(json?.results);
	if (answer.status !== 200 || !json || json.error !== false || !results) throw refusal(answer, json, baseUrl);
	return {
		json,
		summary: summarize(results),
		pageUrl: pageAddress(results, baseUrl),
		outputs: readOutputs(results, baseUrl),
		warnings: Array.isArray(results.warnings) ? results.warnings.filter(isText).map(printable) : []
	};
}
/** The API's answer to a resumable upload, as an upload in one request is answered. */
function inOneShape(json) {
	const [app, build] = [asObject(json?.app), asObject(json?.build)];
	if (!json || !app || !build) return json;
	const page = asObject(json.page);
	const { url, version_name, version_code, revision, name, message, md5, signature, warnings } = build;
	return {
		error: false,
		results: {
			name,
			package_name: app.package_name,
			os_name: app.platform === "ios" ? "iOS" : "Android",
			path: isText(app.url) ? new URL(app.url).pathname : null,
			revision,
			revision_url: url,
			version_code,
			version_name,
			sdk_version: build.minimum_os,
			signature,
			message,
			md5,
			warnings,
			file_size: build.size,
			updated_at: Math.floor(Date.parse(String(build.uploaded_at)) / 1e3),
			user: { name: app.owner },
			size_change: json.size_change,
			install_problems: json.install_problems,
			profile_expires_at: build.profile_expires_at,
			..."source" in build ? { source: build.source } : {},
			...page ? { distribution: shortPage(page) } : {}
		}
	};
}
var shortPage = ({ key, url, qr_url, name, release_note }) => ({
	access_key: key,
	url,
	qr_url,
	title: name,
	release_note
});
function refusal(answer, json, baseUrl) {
	const status = printable(`${answer.status} ${answer.statusText}`);
	const hint = statusHint(answer, json);
	if (answer.status >= 300 && answer.status < 400) return new RefusedError(`The server redirects${answer.location ? ` to ${truncate(printable(answer.location), 200)}` : ""} (${status}); uploads do not follow redirects.`, json, redirectHint(answer.location, baseUrl));
	if (json && json.error === true && isText(json.message)) return new RefusedError(`${printable(json.message)} (${answer.status})`, json, hint);
	if (json && isText(json.detail)) return new RefusedError(`${printable(json.detail)} (${answer.status})`, json, hint);
	const seen = truncate(printable(withoutMarkup(answer.text)), 120);
	const words = seen ? `not as a Slipway server: ${seen}` : "with an empty body";
	return new RefusedError(`${baseUrl.origin} answered ${status}, ${words}`, json, hint);
}
function statusHint({ status }, json) {
	if (status === 401) return "Check that SLIPWAY_API_KEY is a valid key of this server.";
	if (status === 413 && !json) return "A proxy in front of the server rejects large bodies (nginx: client_max_body_size).";
	if (status === 404 && !json) return "Check that --server is the address of a Slipway server.";
	if (status === 502 || status === 504) return "A proxy answered instead of the server. Check that the server is running.";
}
/** Suggests the target of the redirect, without the API path. */
function redirectHint(location, baseUrl) {
	const target = location && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : null;
	const [, prefix] = target ? /^(.*)\/api\/users\/[^/]+\/apps\/?$/.exec(target.pathname) ?? [] : [];
	if (!target || prefix === void 0) return "Set --server or SLIPWAY_URL to the address of the Slipway server itself.";
	return `Use --server ${target.origin}${printable(prefix)}`;
}
/** Where symbol files of the build are uploaded. Throws `UploadError` if an older server does not say what it stored. */
function symbolAddress({ json }, baseUrl) {
	const { user, os_name: system, package_name: name, revision } = asObject(json.results) ?? {};
	const owner = asObject(user)?.name;
	if (!isText(owner) || !isText(name) || typeof revision !== "number") throw new UploadError("The server does not say which build it stored.");
	const platform = system === "iOS" ? "ios" : "android";
	const [ownerPart, appPart] = [owner, name].map(encodeURIComponent);
	return new URL(`api/v1/apps/${ownerPart}/${platform}/${appPart}/builds/${revision}/symbols`, baseUrl);
}
function summarize(results) {
	const word = (value) => isText(value) || typeof value === "number" ? printable(String(value)) : "";
	const name = word(results.name) || word(results.package_name) || "the app";
	const version = [word(results.version_name), results.version_code ? `(${word(results.version_code)})` : ""];
	const system = word(results.os_name) && `for ${word(results.os_name)}`;
	const revision = word(results.revision) && `as revision ${word(results.revision)}`;
	return [
		name,
		...version,
		system,
		revision
	].filter((each) => each !== "").join(" ");
}
function pageAddress(results, baseUrl) {
	const page = webAddress(asObject(results.distribution)?.url, baseUrl);
	if (page) return page;
	const path = results.path;
	return isText(path) && path.startsWith("/") ? webAddress(`.${path}`, baseUrl) : null;
}
function readOutputs(results, baseUrl) {
	const integer = (value) => Number.isSafeInteger(value) ? Number(value) : null;
	const page = asObject(results.distribution);
	const problems = results.install_problems;
	return {
		build_url: webAddress(results.revision_url, baseUrl),
		page_url: webAddress(page?.url, baseUrl),
		qr_url: webAddress(page?.qr_url, baseUrl),
		revision: integer(results.revision),
		size: integer(results.file_size),
		size_change: integer(results.size_change),
		source: asObject(results.source),
		install_problems: Array.isArray(problems) ? problems.filter(isText) : []
	};
}
function webAddress(address, baseUrl) {
	if (!isText(address) || !URL.canParse(address, baseUrl)) return null;
	const url = new URL(address, baseUrl);
	return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
}
/** Returns the text of a proxy's HTML page, without its head, scripts, styles and tags. */
function withoutMarkup(text) {
	return text.slice(0, 16384).replace(/<(head|script|style)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^<>]*>/g, " ");
}
function parseObject(text) {
	try {
		return asObject(JSON.parse(text));
	} catch {
		return null;
	}
}
function asObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}
function isText(value) {
	return typeof value === "string";
}
// src/commands/uploader/upload-source.ts
/** Throws `UploadError` if the file is missing, unreadable, empty or not a regular file. */
async function openSource(path) {
	const handle = await open(path, "r").catch((cause) => {
		throw unreadable(path, cause);
	});
	try {
		return await describe(path, handle);
	} catch (error) {
		await handle.close();
		throw error;
	}
}
async function describe(path, handle) {
	const opened = await handle.stat({ bigint: true });
	if (opened.isDirectory()) throw new UploadError(`${path} is a folder, not a file.`);
	if (!opened.isFile()) throw new UploadError(`${path} is not a regular file.`);
	if (opened.size === 0n) throw new UploadError(`${path} is empty.`);
	const changed = () => new UploadError(`${path} was changed while it was being uploaded; nothing was published.`, { hint: "Wait for the build to finish, then upload again." });
	return {
		path,
		fileName: basename(path),
		sizeBytes: Number(opened.size),
		read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
		assertUnchanged: async () => {
			const now = await handle.stat({ bigint: true });
			if (now.size !== opened.size || now.mtimeNs !== opened.mtimeNs) throw changed();
		},
		close: () => handle.close()
	};
}
function unreadable(path, cause) {
	if (cause.code === "ENOENT" || cause.code === "ENOTDIR") return new UploadError(`File not found: ${path}.`, { cause });
	if (cause.code === "EISDIR") return new UploadError(`${path} is a folder, not a file.`, { cause });
	if (cause.code === "EACCES" || cause.code === "EPERM") return new UploadError(`${path} cannot be read: permission denied.`, { cause });
	return new UploadError(`${path} cannot be read: ${cause.message}`, { cause });
}
// src/commands/uploader/upload-symbols.ts
/** Uploads symbol files to a build that was just uploaded. Repeating this is safe: a build has each content once. */
/** Returns a sentence for each file that was not stored. */
async function uploadSymbols(uploaded, options, { sources, credential, version, defaultRetries, pause, note }) {
	const failed = [];
	for (const source of sources) {
		const name = printable(source.fileName);
		note(`Uploading symbols: ${name} (${formatBytes(source.sizeBytes)})`);
		try {
			const url = symbolAddress(uploaded, options.baseUrl);
			const attempt = async () => uploadFile({
				url,
				headers: {
					Authorization: `Bearer ${await credential.get()}`,
					"User-Agent": `slipway-upload/${version}`
				},
				form: buildForm([], [{
					name: "file",
					source
				}], `slipway-${randomBytes(24).toString("hex")}`),
				timeouts: {
					...defaultTimeouts,
					idleMs: options.idleTimeoutMs
				}
			}, () => {});
			const answer = await uploadWithRetries(attempt, {
				retries: options.retries ?? defaultRetries,
				pause,
				onRetry: ({ reason }) => note(reason)
			});
			if (answer.status !== 201) throw refusalOf(answer.text, answer.status);
		} catch (error) {
			if (!(error instanceof UploadError)) throw error;
			failed.push(`${name}: ${printable(error.message)}`);
		}
	}
	return failed;
}
function refusalOf(text, status) {
	let detail = null;
	try {
		({detail} = JSON.parse(text));
	} catch {}
	return new RefusedError(typeof detail === "string" ? detail : `The server answered ${status}.`, null, void 0);
}
// src/commands/uploader/upload-command.ts
/** `slipway upload`: from arguments to exit code. */
var defaultRetries = 3;
var failedCheck = 3;
var unknownChecks = 4;
/** As a shell reports SIGINT. */
var interruptedCode = 130;
/** `argv` excludes the command's name. Resolves to the exit code, which the help documents. */
async function runUpload(argv, io) {
	try {
		const call = readUploadOptions(argv, io.env, await signedInServer(io));
		if (call.kind === "upload") return await run(call.options, io);
		draw(io.stdout, call.kind === "help" ? uploadHelp(io.command) : `${io.version}\n`);
		return 0;
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		writeLines(io.stderr, printable(error.message), `Try ${io.command} --help`);
		return 2;
	}
}
async function signedInServer(io) {
	return (await readCredentials({ environment: io.env }).catch(() => null))?.current ?? null;
}
async function run(call, io) {
	const options = call.key.kind === "stdin" ? {
		...call,
		key: givenKey(await io.readStdin())
	} : call;
	try {
		const credential = await findCredential(options, io);
		return await report(await upload(options, credential, io), options, credential, io);
	} catch (error) {
		if (!(error instanceof UploadError)) throw error;
		printError(error, options, io);
		return error instanceof InterruptedError ? interruptedCode : 1;
	}
}
async function upload(options, credential, io) {
	const sources = [];
	const symbols = [];
	try {
		sources.push(await openSource(options.file));
		if (options.iosSimulatorZip) sources.push(await openSource(options.iosSimulatorZip));
		for (const path of options.symbols) symbols.push(await openSource(path));
		const key = await credential.get();
		const complete = {
			...options,
			fields: [...options.fields, ...await attestationField(options)]
		};
		const uploaded = await send(requestFor(complete, key, sources, io.version), complete, sources, credential, io);
		return {
			uploaded,
			refusedSymbols: await uploadSymbols(uploaded, options, {
				sources: symbols,
				credential,
				version: io.version,
				defaultRetries,
				pause: io.pause,
				note: (line) => options.quiet || writeLines(io.stderr, line)
			})
		};
	} finally {
		await Promise.all([...sources, ...symbols].map((source) => source.close()));
	}
}
async function attestationField({ attestation: path }) {
	if (path === null) return [];
	try {
		return [{
			name: "attestation",
			value: await readFile(path, "utf8")
		}];
	} catch (cause) {
		throw new UploadError(`Cannot read the attestation ${path}.`, { cause });
	}
}
/** The build is stored: problems from here on are warnings. */
async function report({ uploaded, refusedSymbols }, options, credential, io) {
	announce(uploaded, options, io);
	const warn = (error) => {
		if (!(error instanceof UploadError)) throw error;
		writeLines(io.stderr, `Warning: ${printable(error.message)}`);
		if (error.hint) writeLines(io.stderr, `  ${printable(error.hint)}`);
	};
	await appendForGithub(io.env.GITHUB_OUTPUT, stepOutputs(uploaded)).catch(warn);
	await writeOutputs(io.env.SLIPWAY_OUTPUT, uploaded).catch(warn);
	const checks = await checksOf(uploaded, options, {
		credential,
		io,
		warn
	});
	const failed = failures(options.failOn, uploaded, checks?.findings ?? []);
	if (checks) printChecks(checks, failed, options, io);
	await appendForGithub(io.env.GITHUB_STEP_SUMMARY, summaryOf(uploaded, options, checks)).catch(warn);
	const isUnknown = checks?.findings === null && needsChecks(options);
	const reasons = isUnknown ? [...failed, checks.reason] : failed;
	await reviewUpload(uploaded, options, {
		checks,
		failed: reasons,
		warn,
		io
	});
	for (const sentence of reasons) writeLines(io.stderr, `--fail-on: ${sentence}`);
	for (const sentence of refusedSymbols) writeLines(io.stderr, `Symbols not uploaded: ${sentence}`);
	if (failed.length + refusedSymbols.length > 0) return failedCheck;
	return isUnknown ? unknownChecks : 0;
}
var needsChecks = ({ failOn }) => failOn.some(({ name }) => name === "checks");
/** Null if nothing reports them. */
async function checksOf(uploaded, options, { credential, io, warn }) {
	if (!needsChecks(options) && !options.comment && !options.status) return null;
	const onWait = async () => {
		if (!options.quiet) writeLines(io.stderr, "Waiting for the checks of the build …");
		await reportPending(uploaded, options, {
			warn,
			io
		});
	};
	return awaitChecks(uploaded, options, {
		credential,
		io,
		onWait
	});
}
/** What fails is printed at the end instead. */
function printChecks(checks, failed, options, io) {
	const { findings } = checks;
	if (findings) {
		const others = findings.filter(({ line }) => !failed.includes(line));
		const shown = options.quiet ? others.filter(({ state }) => state === "failed" || state === "warned") : others;
		for (const line of findingLines(shown)) writeLines(io.stderr, `Check: ${line}`);
	} else if (!needsChecks(options) && !checks.isUnsupported) writeLines(io.stderr, `Warning: The checks are not known. ${checks.reason}`);
}
function requestFor(options, apiKey, [file, simulator], version) {
	const files = [...simulator ? [{
		name: "ios_simulator_zip",
		source: simulator
	}] : [], ...file ? [{
		name: "file",
		source: file
	}] : []];
	return {
		url: new URL(`api/users/${encodeURIComponent(options.owner)}/apps`, options.baseUrl),
		headers: {
			Authorization: `Bearer ${apiKey}`,
			"Idempotency-Key": options.idempotencyKey,
			"User-Agent": `slipway-upload/${version}`
		},
		form: buildForm(options.fields, files, `slipway-${randomBytes(24).toString("hex")}`),
		timeouts: {
			...defaultTimeouts,
			idleMs: options.idleTimeoutMs
		}
	};
}
async function send(request, options, sources, credential, io) {
	const startedAt = io.now();
	const display = startDisplay(io, options.quiet);
	if (!options.quiet) display.note(startMessage(options, sources));
	const uploaded = readUploadResponse(await attempts(request, options, {
		sources,
		credential,
		display,
		io
	}).finally(display.end), options.baseUrl);
	if (!options.quiet) display.note(`Uploaded ${uploaded.summary} in ${formatSeconds((io.now() - startedAt) / 1e3)}.`);
	return uploaded;
}
function startMessage(options, sources) {
	return `Uploading ${sources.map(({ fileName, sizeBytes }) => `${printable(fileName)} (${formatBytes(sizeBytes)})`).join(" and ")} to ${printable(options.owner)} at ${options.baseUrl.origin}`;
}
/** Sends the form; a large file, or one whose connection was cut, in chunks if the server can receive them. */
async function attempts(request, options, context) {
	const { display, io, credential } = context;
	const [source, simulator] = context.sources;
	const metadata = source && !simulator ? tusMetadata(options.fields, options.owner, source.fileName) : null;
	const note = (reason, pauseMs, order) => display.note(`${reason} Trying again in ${formatSeconds(pauseMs / 1e3)} (${order}) …`);
	const stop = new AbortController();
	const inChunks = async () => {
		if (!source || metadata === null) return null;
		const { baseUrl, idempotencyKey, canContinueLater, retries } = options;
		const { timeouts, headers: all } = request;
		const { Authorization: _, "Idempotency-Key": __, ...headers } = all;
		return uploadResumably({
			baseUrl,
			metadata,
			source,
			headers,
			idempotencyKey,
			canContinueLater,
			credential,
			retries,
			timeouts,
			signal: stop.signal,
			onProgress: display.progress,
			onRetry: ({ reason, pauseMs, number, of }) => note(reason, pauseMs, `${number} of ${of}`)
		});
	};
	let wantsChunks = (source?.sizeBytes ?? 0) > resumableFromBytes;
	let isFinal = false;
	const attempt = async () => {
		const answer = wantsChunks ? await inChunks().finally(() => isFinal = true) : null;
		if (answer) return answer;
		isFinal = false;
		let last = null;
		const onProgress = (progress) => {
			last = progress;
			display.progress(progress);
		};
		return uploadFile({
			...request,
			signal: stop.signal
		}, onProgress).catch((error) => {
			wantsChunks = last?.phase === "sending" && (source?.sizeBytes ?? 0) > 8388608 && !wantsChunks;
			throw error;
		});
	};
	const retries = options.retries ?? defaultRetries;
	const release = io.onInterrupt(() => stop.abort());
	return uploadWithRetries(attempt, {
		retries,
		pause: io.pause,
		isFinal: () => isFinal,
		onRetry: ({ reason, pauseMs, number }) => note(reason, pauseMs, `${number} of ${retries}`)
	}).finally(release);
}
function announce(uploaded, options, io) {
	for (const warning of uploaded.warnings) writeLines(io.stderr, `Warning: ${warning}`);
	if (options.json) {
		writeJson(io.stdout, jsonWithOutputs(uploaded));
		return;
	}
	if (!uploaded.pageUrl) return;
	writeLines(io.stdout, uploaded.pageUrl);
	if (options.qr ?? io.isTerminal) showQr(uploaded.pageUrl, options, io);
}
function showQr(pageUrl, options, io) {
	const lines = terminalQr(pageUrl, {
		columns: io.isTerminal ? io.columns() : Number.POSITIVE_INFINITY,
		color: wantsColor(io.env, io.isTerminal)
	});
	if (lines) draw(io.stderr, `\n${lines.join("\n")}\n`);
	else if (options.qr) writeLines(io.stderr, "The QR code does not fit on this terminal.");
	if (/^(localhost|127\..*|\[::1\])$/.test(new URL(pageUrl).hostname)) writeLines(io.stderr, "", "This address works only on this machine, not on a phone.");
}
/** With `--json`, prints a failure as one object: the server's answer, or an object of the same shape. */
function printError(failure, options, io) {
	writeLines(io.stderr, `Not uploaded: ${printable(failure.message)}`);
	if (failure.hint) writeLines(io.stderr, `  ${printable(failure.hint)}`);
	if (!options.json) return;
	const served = failure instanceof RefusedError ? failure.json : null;
	writeJson(io.stdout, served ?? {
		error: true,
		message: failure.message,
		because: failure.message
	});
}
/** `command` is the name of the program, such as `slipway upload`. */
function uploadHelp(command) {
	return `Upload an app to a Slipway server.

Usage: ${command} FILE --owner OWNER [options]

${describeInputs()}
The API key comes from SLIPWAY_API_KEY or SLIPWAY_KEY. There is no option for it, because other
users can read a process's arguments. Standard output contains only the page's address; everything
else goes to standard error. Exits with 0 when the app was uploaded, 1 when it was not, 2 for a
usage error, 3 when it was uploaded and --fail-on applies or a file of --symbols was not stored,
4 when it was uploaded but the checks of --fail-on are not known, 130 when you interrupted it. If
SLIPWAY_OUTPUT names a file, such as slipway.env, the outputs are appended to it
(SLIPWAY_REVISION=7), and slipway.env.json is written.

These names of options work too:
  ${wrap(earlierOptionNames().join(", "), 96).join("\n  ")}
`;
}
var signals = ["SIGINT", "SIGTERM"];
var programTimeoutMs = 3e4;
/** Builds the process interface of the uploader. `host` is Node's `process`. */
function createUploadIo(host, command, version) {
	const { env, stdin, stdout, stderr } = host;
	return {
		env,
		stdout,
		stderr,
		isTerminal: stderr.isTTY ?? false,
		columns: () => stderr.columns ?? 80,
		now: () => performance.now(),
		pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
		repeat: (milliseconds, action) => {
			const timer = setInterval(action, milliseconds);
			return () => clearInterval(timer);
		},
		onInterrupt: (action) => {
			for (const signal of signals) host.once(signal, action);
			return () => {
				for (const signal of signals) host.off(signal, action);
			};
		},
		readStdin: () => readText(stdin),
		runProgram: async (program, args) => (await promisify(execFile)(program, args, { timeout: programTimeoutMs })).stdout,
		command,
		version
	};
}
async function readText(stdin) {
	let text = "";
	for await (const chunk of stdin) {
		text += chunk.toString();
		if (text.length > 4096) throw new UsageError("Standard input is too long to be an API key.");
	}
	return text;
}
// integrations/github-action/main.ts
/** The entry file of the GitHub Action: the uploader, with inputs as the runner passes them; and the end of a pull request. */
/** The runner names an input `INPUT_RELEASE-NOTES`, the uploader `SLIPWAY_RELEASE_NOTES`. An input that was left empty is not set. */
function readInputs(env) {
	return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => {
		const [, input] = /^INPUT_(.+)$/.exec(name) ?? [];
		if (!input || !value?.trim()) return [];
		const variable = input.replaceAll("-", "_");
		return [[variable === "GITHUB_TOKEN" ? variable : `SLIPWAY_${variable}`, value]];
	}));
}
async function readEvent(path) {
	return path ? JSON.parse(await readFile(path, "utf8")) : {};
}
var firstLine = (text) => text?.split("\n", 1)[0] ?? "";
/** See "Workflow commands" in GitHub's documentation. */
var escapeData = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
async function main() {
	const event = await readEvent(process.env.GITHUB_EVENT_PATH);
	const message = firstLine(event.pull_request?.title ?? event.head_commit?.message);
	const io = createUploadIo(process, "slipway", "0.1.0");
	const lines = [];
	const env = {
		SLIPWAY_MESSAGE: message,
		...process.env,
		...readInputs(process.env)
	};
	const isClosed = event.pull_request !== void 0 && event.action === "closed";
	const closed = ["closed", ...env.SLIPWAY_CLOSE_PAGES === "true" ? ["--close-pages"] : []];
	const code = await (isClosed ? (own) => runPullRequest(closed, own) : (own) => runUpload([], own))({
		...io,
		env,
		stderr: { write: (text) => {
			lines.push(...text.split("\n"));
			return io.stderr.write(text);
		} }
	});
	const reason = lines.filter((line) => line.trim() && !line.startsWith("::")).slice(-2).join("\n");
	if (code !== 0) process.stdout.write(`::error title=Slipway::${escapeData(reason)}\n`);
	return code;
}
main().then((code) => {
	process.exitCode = code;
});
export {};
/*
Contains uqr (https://github.com/unjs/uqr):

MIT License

Copyright (c) Project Nayuki
Copyright (c) 2023 Anthony Fu <https://github.com/antfu>

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/