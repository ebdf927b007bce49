{{- define "slipway.name" -}}
{{- .Release.Name | trunc 50 -}}
{{- end -}}

{{- define "slipway.selector" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "slipway.labels" -}}
{{ include "slipway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end -}}

{{/* The account of the image, without any privilege. The group of a volume is that of the account. */}}
{{- define "slipway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "slipway.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "slipway.environment" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- include "slipway.containerSecurity" . | nindent 2 }}
env:
  # Longer than the readiness probe needs to notice.
  - { name: SLIPWAY_DRAIN_SECONDS, value: "15" }
  {{- if .Values.metrics.enabled }}
  - { name: SLIPWAY_METRICS, value: "0.0.0.0:9464" }
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
{{- if .Values.existingSecret }}
envFrom:
  - secretRef: { name: {{ .Values.existingSecret }} }
{{- end }}
{{- end -}}
