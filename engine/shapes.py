"""Keys that their form gives away: a marker's name, triggers as they stand in a text, a pattern.

They stand in one text since a hook compiles this module each time it is called.
"""

from __future__ import annotations

# Not in the middle of a word; `\b` would count `_` in.
_START = r"(?<![A-Za-z0-9])"
_TABLE = r"""
github-token gh,github_pat (?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,})
gitlab-token gl gl(?:pat|dt|ptt|rt|ft|imt|soat|oas|agent|ffct|cbt)-[\w-]{18,}(?:\.[\w.]+)?
gitlab-token GR1348941 GR1348941[\w-]{20,}
anthropic-key sk-ant- sk-ant-[\w-]{16,}
openai-key sk- sk-(?=[\w-]{0,80}\d)[\w-]{20,}
aws-access-key AKIA,ASIA,ABIA,ACCA,A3T A(?:KIA|SIA|BIA|CCA|3T\w)[A-Z0-9]{16}\b
aws-bedrock-key ABSK ABSK[A-Za-z0-9+/]{60,}=*
google-api-key AIza AIza[\w-]{35,}
google-oauth GOCSPX-,ya29.,1//0 (?:GOCSPX-|ya29\.|1//0)[\w-]{20,}
slack-token xox,xapp- (?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,}
slack-webhook hooks.slack.com/ hooks\.slack\.com/\w+/[\w/+-]{20,}
teams-webhook /webhookb2/ webhook\.office\.com/webhookb2/[\w/@-]{40,}
adobe-secret p8e- p8e-[A-Za-z0-9]{32}\b
onepassword-key A3- A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}
discord-webhook /api/webhooks/ discord\w*\.com/api/webhooks/\d+/[\w-]{20,}
stripe-key _live_,_test_,_prod_,whsec_ (?:[rs]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9+/]{16,}
npm-token npm_ npm_[A-Za-z0-9]{36}\b
pypi-token pypi- pypi-[\w-]{50,}
rubygems-token rubygems_ rubygems_[0-9a-f]{48}
nuget-key oy2 oy2[a-z2-7]{43}\b
crates-token cio cio[A-Za-z0-9]{32}\b
huggingface-token hf_,api_org_ (?:hf|api_org)_[A-Za-z0-9]{34}\b
model-key gsk_,xai-,r8_ (?:gsk_|xai-|r8_)[A-Za-z0-9]{30,}
model-key pplx-,nvapi-,tvly-,lsv2_ (?:pplx-|nvapi-|tvly-|lsv2_[a-z]{2}_)[\w-]{24,}
sendgrid-key SG. SG\.[\w-]{16,32}\.[\w-]{30,}
mail-key xkeysib-,key- (?:xkeysib-[0-9a-f]{64}-\w{16}|key-[0-9a-f]{32})\b
mail-key -us [0-9a-f]{32}-us\d{1,2}\b
twilio-key SK SK[0-9a-f]{32}\b
digitalocean-token _v1_ do[opr]_v1_[0-9a-f]{64}
databricks-token dapi dapi[0-9a-f]{32}(?:-\d)?\b
doppler-token dp. dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,35}\.)?\w{40,44}\b
dynatrace-token dt0 dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}
vault-token hv hv[sbr]\.[\w-]{24,}
terraform-token .atlasv1. [A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}
heroku-key HRKU- HRKU-[\w-]{40,}
pulumi-token pul- pul-[0-9a-f]{40}\b
fly-token fo1_,fm1,fm2_ (?:fo1|fm1[ar]|fm2)_[\w+/-]{40,}=*
linear-key lin_api_ lin_api_[A-Za-z0-9]{40}
notion-token ntn_,secret_ (?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b)
figma-token figd_ figd_[\w-]{36,}
atlassian-token ATATT3,ATCTT3 AT[AC]TT3[\w=-]{60,}
postman-key PMAK- PMAK-[0-9a-f]{24}-[0-9a-f]{34}
newrelic-key NRAK-,NRII- NR(?:AK|II)-[\w-]{27,}
grafana-token glsa_,glc_ gl(?:sa|c)_[\w+/]{32,}=*
shopify-token shp (?i:shp(?:at|ca|pa|ss)_[0-9a-f]{32})
square-token sq0 sq0[a-z]{3}-[\w-]{22,}
planetscale-token pscale_ pscale_[a-z]+_[\w=.-]{32,}
supabase-key sbp_,sb_secret_ (?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})
sentry-token sntry sntry[su]_[\w=+/-]{40,}
sourcegraph-token sgp_ sgp_(?:\w{5,16}_)?[0-9a-fA-F]{40}
sonar-token sq sq[apu]_[0-9a-fA-F]{40}
docker-token dckr_ dckr_[a-z]+_[\w-]{20,}
tailscale-key tskey- tskey-[\w-]{20,}
netlify-token nfp_ nfp_[A-Za-z0-9]{36}
age-key AGE-SECRET-KEY-1 AGE-SECRET-KEY-1[A-Z0-9]{58}
facebook-token EAA EAA[A-Z][A-Za-z0-9]{80,}
readme-key rdme_ rdme_[a-z0-9]{70}
airtable-token pat pat[A-Za-z0-9]{14}\.[0-9a-f]{64}
onepassword-token ops_eyJ ops_eyJ[A-Za-z0-9+/]{100,}=*
alibaba-key LTAI LTAI[A-Za-z0-9]{16,24}\b
azure-secret Q~ [\w.~-]{3}\dQ~[\w.~-]{31,34}
payment-key duffel_ duffel_(?:test|live)_[\w-]{43}
payment-key EZ,FLWSECK (?:EZ[AT]K[A-Za-z0-9]{54}|FLWSECK\w*-[0-9a-f]{12,}\b)
shippo-token shippo_ shippo_(?:live|test)_[0-9a-f]{40}
contentful-token CFPAT- CFPAT-[\w-]{40,}
octopus-key API- API-[A-Z0-9]{26}\b
telegram-token :AA \d{8,10}:AA[\w-]{33}(?![\w-])
artifactory-key AKCp,cmVmd (?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})\b
clojars-token CLOJARS_ CLOJARS_[a-z0-9]{60}
openshift-token sha256~ sha256~[\w-]{43}
cloudflare-key v1.0- v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}
jwt eyJ eyJ[A-Za-z0-9_-]{8,999}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,})?
"""
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = tuple(
    (name, tuple(triggers.split(",")), _START + shape)
    for name, triggers, shape in map(str.split, _TABLE.strip().splitlines())
)
