/**
 * Ghost in this process, with a request log; changes of it through its own models: lines of JSON in, lines of JSON out.
 *
 * In:  {"changes": [{"do": "post", "key": "first", "title": ...}, ...], "truth": false}
 * Out: {"keys": {"first": "65f..."}, "truth": null}, or {"error": ...}; and {"ready": true} when it has started
 *
 * Changes are made inside of the server, as Ghost keeps the addresses of its posts in memory. Times are UTC.
 */
const fs = require('fs');
const http = require('http');
const {createRequire} = require('module');
const {join} = require('path');
const readline = require('readline');

const ghost = createRequire(join(process.env.EVERLOG_GHOST, 'index.js'));
const internal = {context: {internal: true}};
// Only answers go to stdout; what Ghost says goes to the log.
const answer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

logRequests(join(process.env.EVERLOG_SITE, 'requests.log'));
ghost('./core/boot')().then(serve);

/** Written before the last byte of an answer goes out, so who has read it finds it in the log. */
function logRequests(file) {
    const emit = http.Server.prototype.emit;
    http.Server.prototype.emit = function (event, request, response) {
        if (event === 'request') {
            const {method, url: target, headers} = request;
            const end = response.end;
            response.end = function (...rest) {
                fs.appendFileSync(file, JSON.stringify({method, target, status: response.statusCode, headers}) + '\n');
                return end.apply(this, rest);
            };
            const status = shutPages()[decodeURI(target.split('?')[0])];
            if (status) {
                response.writeHead(status, {'Content-Type': 'text/html'});
                response.end('<!DOCTYPE html><title>Sorry</title><h1>This page is not available.</h1>');
                return true;
            }
        }
        return emit.apply(this, arguments);
    };
}

/** What is in front of Ghost may refuse a page that Ghost itself has. */
function shutPages() {
    const file = join(process.env.EVERLOG_SITE, 'shut.json');
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
}

async function serve() {
    const models = ghost('./core/server/models');
    await makeKeys();
    answer(JSON.stringify({ready: true}) + '\n');
    for await (const line of readline.createInterface({input: process.stdin})) {
        try {
            const asked = JSON.parse(line);
            for (const change of asked.changes) {
                await apply(models, change);
            }
            await addressesKnown(models);
            answer(JSON.stringify({keys: await allKeys(), truth: asked.truth ? await truth(models) : null}) + '\n');
        } catch (error) {
            answer(JSON.stringify({error: error.stack}) + '\n');
        }
    }
    process.exit(0);
}

async function apply(models, change) {
    const id = async () => (await allKeys())[change.post] || change.post;
    switch (change.do) {
    case 'post': {
        const post = await models.Post.add(await fieldsOf(models, change), {...internal, importing: Boolean(change.date)});
        return change.key && keys().insert({key: change.key, id: post.id});
    }
    case 'edit':
        return edit(models, change, await id());
    case 'delete':
        return models.Post.destroy({...internal, id: await id()});
    case 'empty':
        for (const post of await allPosts(models)) {
            await models.Post.destroy({...internal, id: post.id});
        }
        return;
    }
    throw new Error(`no such change: ${change.do}`);
}

/** Of the time of an edit, where it is not now, an importer tells Ghost; with other fields it would be a collision. */
async function edit(models, {modified, ...change}, id) {
    await models.Post.edit(await fieldsOf(models, change), {...internal, id});
    if (modified) {
        await models.Post.edit(await fieldsOf(models, {modified}), {...internal, id, importing: true});
    }
}

async function fieldsOf(models, change) {
    const time = text => new Date(text.replace(' ', 'T') + 'Z');
    const fields = {};
    const given = {
        title: value => ({title: value}),
        content: value => ({lexical: JSON.stringify(ghost('./core/server/lib/lexical').htmlToLexicalConverter(value))}),
        type: value => ({type: value}),
        status: value => ({status: {publish: 'published', future: 'scheduled'}[value] || value}),
        visibility: value => ({visibility: value}),
        slug: value => ({slug: value}),
        excerpt: value => ({custom_excerpt: value}),
        sticky: value => ({featured: value}),
        tags: value => ({tags: value.map(name => ({name}))}),
        date: value => ({published_at: time(value), created_at: time(value), updated_at: time(value)}),
        modified: value => ({updated_at: time(value)})
    };
    for (const [name, made] of Object.entries(given)) {
        if (change[name] !== undefined) {
            Object.assign(fields, made(change[name]));
        }
    }
    if (change.author) {
        fields.authors = [{id: await userNamed(models, change.author)}];
    }
    return change.do === 'post' ? {status: 'published', ...fields} : fields;
}

async function userNamed(models, name) {
    const found = await models.User.findOne({name, status: 'all'}, internal);
    if (found) {
        return found.id;
    }
    const email = `${Buffer.from(name).toString('hex')}@blog.test`;
    const fields = {name, email, password: 'a long enough secret 7', status: 'active', roles: ['Author']};
    return (await models.User.add(fields, internal)).id;
}

async function allPosts(models) {
    const filter = {filter: 'type:[post,page]+status:[draft,published,scheduled,sent]', withRelated: ['tags', 'authors']};
    return (await models.Post.findAll({...internal, ...filter})).models;
}

/** Kept in the database, in a table that Ghost does not know, so that a copy of the site has them too. */
const keys = () => ghost('./core/server/data/db').knex('keys_of_tests');

async function makeKeys() {
    const {schema} = ghost('./core/server/data/db').knex;
    if (!await schema.hasTable('keys_of_tests')) {
        await schema.createTable('keys_of_tests', table => table.string('key').primary() && table.string('id'));
    }
}

async function allKeys() {
    return Object.fromEntries((await keys().select()).map(row => [row.key, row.id]));
}

const addressOf = id => ghost('./core/server/services/url').getUrlByResourceId(id, {absolute: true});

/** Addresses are made a moment after a post. */
async function addressesKnown(models) {
    const published = (await models.Post.query().where({status: 'published'}).select('id')).map(row => row.id);
    while (published.some(id => addressOf(id).endsWith('/404/'))) {
        await new Promise(resolve => setTimeout(resolve, 5));
    }
}

async function truth(models) {
    const posts = (await allPosts(models)).map(post => ({
        id: post.id,
        type: post.get('type'),
        status: post.get('status'),
        visibility: post.get('visibility'),
        visible: post.get('status') === 'published' && post.get('visibility') === 'public',
        link: addressOf(post.id),
        title: post.get('title'),
        content: post.toJSON({formats: ['html']}).html,
        authors: post.related('authors').map(author => author.get('name')),
        tags: post.related('tags').map(tag => tag.get('name')),
        date: post.get('published_at'),
        modified: post.get('updated_at')
    }));
    const key = await models.ApiKey.query().join('integrations', 'integrations.id', 'api_keys.integration_id')
        .where({'integrations.slug': 'ghost-internal-frontend'}).select('secret');
    return {posts, content_key: key[0].secret};
}
